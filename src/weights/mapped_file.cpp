#include "src/weights/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "src/core/error.hpp"

namespace epochcast {
namespace {

/// Closes at the end of the scope; the mapping needs it no longer.
struct Descriptor {
  explicit Descriptor(const std::string& path) : number(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) {
      close(number);
    }
  }
  int number;
};

[[noreturn]] void fail(const std::string& path) {
  throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(path);
  struct stat status = {};
  if (file.number < 0 || fstat(file.number, &status) != 0) {
    fail(path);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(fmt::format("{}: found a folder or device, expected a file", path));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return;  // of which there is no mapping
  }
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (start == MAP_FAILED) {
    fail(path);
  }
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: as mmap gave it
  }
}

}  // namespace epochcast
