// Progress that a program writes to files, beside what it prints: EPOCHCAST_EVENTS and files of
// metrics.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress::sources {

struct TimedReading {
  Reading reading;
  double at_s = 0;  ///< On the record's clock.
};

/// Where the record's clock is 0, on the clocks that programs use.
struct ClockZero {
  std::int64_t monotonic_ns = 0;  ///< CLOCK_MONOTONIC, of this machine.
  double since_1970_s = 0;

  /// Of `clock`, now.
  static ClockZero of(const Clock& clock) {
    const std::chrono::nanoseconds monotonic =
        std::chrono::steady_clock::now().time_since_epoch();  // CLOCK_MONOTONIC, on Linux
    const double now_s = clock.now_s();
    return {.monotonic_ns = monotonic.count() - static_cast<std::int64_t>(now_s * 1e9),
            .since_1970_s = wall_clock_s() - now_s};
  }
};

/// Follows files while they grow. No function blocks, and none throws because of what is in them.
class Source {
 public:
  virtual ~Source() = default;
  /// What was written since the last call, or a part of it; `now_s` on the record's clock. In the
  /// order of the times, which are never after `now_s`.
  virtual std::vector<TimedReading> read(double now_s) = 0;
  /// The program has ended: all the rest.
  virtual std::vector<TimedReading> finish(double now_s) = 0;
  /// What was damaged, counted, a line a kind: "events.jsonl: 3 lines are no events; the first:
  /// line 7".
  virtual std::vector<std::string> remarks() const = 0;
};

}  // namespace epochcast::progress::sources
