// The square of a number.
#pragma once

namespace epochcast {

constexpr double square(double value) {
  return value * value;
}

}  // namespace epochcast
