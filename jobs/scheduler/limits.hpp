// The site's limits on submission, kept in OUT/site.json.
#pragma once

#include <filesystem>

#include "jobs/scheduler/scheduler.hpp"

namespace epochcast::jobs {

/// Asks the scheduler and writes the answer to `file`. Without an answer returns the
/// values in `file`, otherwise Slurm's defaults.
SiteLimits site_limits(const std::filesystem::path& file);

}  // namespace epochcast::jobs
