// The wall clock, for times that several machines compare.
#pragma once

#include <chrono>

namespace epochcast::stream {

/// Seconds since 1970.
inline double now_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace epochcast::stream
