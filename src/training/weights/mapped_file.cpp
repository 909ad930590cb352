#include "src/training/weights/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast::weights {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) {
    fail(path);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(fmt::format("{}: found a folder or device, expected a file", path));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return;  // an empty file cannot be mapped
  }
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);  // outlives `file`
  if (start == MAP_FAILED) {
    fail(path);
  }
  bytes_ = {static_cast<const std::byte*>(start), size};
  require_no_stand_in(path, {static_cast<const char*>(start), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::forget(std::span<const std::byte> part) const {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - bytes_.data()) / page * page;
  const auto end = static_cast<std::size_t>(part.data() - bytes_.data()) + part.size();
  if (!part.empty()) {
    madvise(const_cast<std::byte*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);  // NOLINT
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: as mmap gave it
  }
}

}  // namespace epochcast::weights
