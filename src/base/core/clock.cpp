#include "src/base/core/clock.hpp"

#include <array>

namespace epochcast {
namespace {

// Initialized before main, so that the start of the process is exact to a few milliseconds.
const std::chrono::steady_clock::time_point process_start = std::chrono::steady_clock::now();

}  // namespace

double SteadyClock::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - process_start).count();
}

double cpu_clock_s(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::string iso8601(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 40> buffer{};
  const auto length = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string text(buffer.data(), length);
  return text.insert(text.size() - 2,
                     ":");  // strftime writes +0100, ISO 8601's extended form is +01:00
}

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<double> seconds_since_1970(const std::string& stamp) {
  std::tm when{};
  if (strptime(stamp.c_str(), "%Y-%m-%dT%H:%M:%S%z", &when) == nullptr) {
    return std::nullopt;
  }
  const auto offset_s = when.tm_gmtoff;  // timegm clears it
  return static_cast<double>(timegm(&when) - offset_s);
}

}  // namespace epochcast
