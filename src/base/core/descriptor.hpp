// File descriptors that are closed automatically.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace epochcast {

/// Owns the descriptor `number` and closes it in the destructor; a negative number means none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  int number() const { return number_; }
  /// The number, which the caller closes now.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Writes all of `bytes` and removes from it what was written. Returns false, with errno, if some
/// was not.
inline bool write_all(int descriptor, std::string_view& bytes) {
  while (!bytes.empty()) {
    const auto count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace epochcast
