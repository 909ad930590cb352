// ISO 8601 stamps, as records and the journal hold them, back to seconds.
#pragma once

#include <optional>
#include <string>

namespace epochcast::jobs {

/// Seconds since 1970 of "2026-11-21T09:15:02+01:00"; nothing for any other text.
std::optional<double> seconds_since_1970(const std::string& stamp);

}  // namespace epochcast::jobs
