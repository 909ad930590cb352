// Which points can be cancelled.
#pragma once

#include <string>

#include "jobs/campaign/status.hpp"

namespace epochcast::jobs {

/// Why the job of a point cannot be cancelled; empty: it can be.
std::string why_not_cancelled(const PointStatus& point);

}  // namespace epochcast::jobs
