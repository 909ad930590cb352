// Time: a monotonic clock in seconds since the process started, which tests can replace, and
// timestamps for users. Durations never come from a wall clock: one of the lab's runs crossed a
// change to daylight saving time, and its timestamps differ by one hour more than the run took.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>

namespace epochcast {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since the process started; never goes back.
  virtual double now_s() const = 0;
};

/// std::chrono::steady_clock, counted from the start of the process.
class SteadyClock : public Clock {
 public:
  double now_s() const override;
};

static_assert(std::chrono::steady_clock::is_steady);

/// The seconds of a CPU clock: CLOCK_THREAD_CPUTIME_ID (of this thread: what work costs, however
/// busy the machine is), CLOCK_PROCESS_CPUTIME_ID.
double cpu_clock_s(clockid_t clock);

/// Seconds since 1970 by the wall clock, for times that several machines or programs compare.
double wall_clock_s();

/// The local time in ISO 8601 with the offset: "2026-11-21T09:15:02+01:00".
std::string iso8601(std::chrono::system_clock::time_point when = std::chrono::system_clock::now());

/// Seconds since 1970 of such a timestamp; std::nullopt for any other text.
std::optional<double> seconds_since_1970(const std::string& stamp);

}  // namespace epochcast
