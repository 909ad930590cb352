// The site's limits on submission, kept in OUT/site.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace epochcast::jobs {

struct SiteLimits {
  std::int64_t max_array_size = 1001;      ///< The largest index of an array is one less.
  std::int64_t max_job_count = 10000;      ///< Jobs that the controller holds at most.
  std::optional<std::int64_t> max_submit;  ///< Jobs of this user; nothing: no limit known.
};

/// Queries scontrol and sacctmgr and writes the answer to `file`. Without an answer returns the
/// values in `file`, otherwise Slurm's defaults.
SiteLimits site_limits(const std::filesystem::path& file);

}  // namespace epochcast::jobs
