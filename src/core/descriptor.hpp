// File descriptors that close themselves.
#pragma once

#include <unistd.h>

#include <utility>

namespace epochcast {

/// Closes `number` at the end; a negative one stands for none.
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

 private:
  int number_;
};

}  // namespace epochcast
