#include "jobs/time_stamp.hpp"

#include <ctime>

namespace epochcast::jobs {

std::optional<double> seconds_since_1970(const std::string& stamp) {
  std::tm when{};
  if (strptime(stamp.c_str(), "%Y-%m-%dT%H:%M:%S%z", &when) == nullptr) {
    return std::nullopt;
  }
  const auto offset_s = when.tm_gmtoff;  // timegm clears it
  return static_cast<double>(timegm(&when) - offset_s);
}

}  // namespace epochcast::jobs
