// File descriptors that are closed automatically.
#pragma once

#include <unistd.h>

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

}  // namespace epochcast
