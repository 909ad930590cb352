#include "src/measure/progress/sources/source.hpp"

#include <chrono>

namespace epochcast::progress::sources {

ClockZero ClockZero::of(const Clock& clock) {
  using std::chrono::duration;
  using std::chrono::steady_clock;  // CLOCK_MONOTONIC, on Linux
  using std::chrono::system_clock;
  const double now_s = clock.now_s();
  const auto monotonic = steady_clock::now().time_since_epoch();
  return {.monotonic_ns =
              std::chrono::nanoseconds(monotonic).count() - static_cast<std::int64_t>(now_s * 1e9),
          .since_1970_s = duration<double>(system_clock::now().time_since_epoch()).count() - now_s};
}

}  // namespace epochcast::progress::sources
