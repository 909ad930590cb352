// A deadline as people write it.
#pragma once

#include <ctime>
#include <string>

namespace epochcast::jobs {

/// Seconds from `now` until "Fri 18:00" (the next one), "18:00" (the next one), "2026-12-01 18:00",
/// or a duration such as "6h". Local time. Throws Error for any other text, and for a time that is
/// over.
double seconds_until(const std::string& deadline, std::time_t now);

}  // namespace epochcast::jobs
