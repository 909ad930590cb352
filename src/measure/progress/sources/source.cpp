#include "src/measure/progress/sources/source.hpp"

#include <chrono>

namespace epochcast::progress::sources {

ClockZero ClockZero::of(const Clock& clock) {
  const double now_s = clock.now_s();
  const auto monotonic =
      std::chrono::steady_clock::now().time_since_epoch();  // CLOCK_MONOTONIC, on Linux
  return {.monotonic_ns =
              std::chrono::nanoseconds(monotonic).count() - static_cast<std::int64_t>(now_s * 1e9),
          .since_1970_s = wall_clock_s() - now_s};
}

}  // namespace epochcast::progress::sources
