#include "src/training/ranks/run_secret.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/core/digest.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::ranks {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(20);
constexpr double wait_for_text_s = 20;  ///< For the rank that has created the file.

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw RunError(fmt::format("{}, the secret of the ranks of this run: {}", file.string(), why));
}

/// Leaves a file that is there already as it is.
void create(const std::filesystem::path& file) {
  const Descriptor created(
      open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (created.number() < 0 && errno == EEXIST) {
    return;
  }
  const auto text = random_digits();
  if (created.number() < 0 ||
      write(created.number(), text.data(), text.size()) != std::ssize(text)) {
    fail(file, std::strerror(errno));
  }
}

void check_is_private(const std::filesystem::path& file, int opened) {
  struct stat status {};
  fstat(opened, &status);
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    fail(file, fmt::format("found owner {} and mode {:o}, expected a file of user {} that others "
                           "cannot read; remove it, or choose another --work folder",
                           status.st_uid, status.st_mode & 07777U, geteuid()));
  }
}

/// The whole secret; std::nullopt while it is not there.
std::optional<std::string> read(const std::filesystem::path& file) {
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (opened.number() < 0) {
    if (errno == ENOENT) {
      return std::nullopt;
    }
    fail(file, std::strerror(errno));
  }
  check_is_private(file, opened.number());
  std::array<char, digest_digits> text{};
  const auto size = ::read(opened.number(), text.data(), text.size());
  return size == std::ssize(text) ? std::optional(std::string(text.begin(), text.end()))
                                  : std::nullopt;
}

std::string read_or_create(const std::filesystem::path& file) {
  make_folder(file.parent_path());
  const SteadyClock clock;
  for (const double end_s = clock.now_s() + wait_for_text_s; clock.now_s() < end_s;) {
    create(file);
    if (auto text = read(file)) {
      return *text;
    }
    std::this_thread::sleep_for(between_looks);
  }
  fail(file, fmt::format("it was still not complete after {}; remove it",
                         format_duration(wait_for_text_s)));
}

}  // namespace

RunSecret::RunSecret(std::filesystem::path file, bool removes_file)
    : file_(std::move(file)), removes_file_(removes_file), text_(read_or_create(file_)) {}

RunSecret::~RunSecret() {
  std::error_code ignored;
  if (removes_file_) {
    std::filesystem::remove(file_, ignored);
  }
}

}  // namespace epochcast::ranks
