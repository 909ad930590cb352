// The site's own limits on submission, asked once and kept in OUT/site.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace epochcast::jobs {

struct SiteLimits {
  std::int64_t max_array_size = 1001;      ///< The largest index of an array is one less.
  std::int64_t max_job_count = 10000;      ///< Jobs that the controller holds in all.
  std::optional<std::int64_t> max_submit;  ///< Jobs of this user at once, where accounting says so.
};

/// Asks scontrol and sacctmgr and keeps the answer in `file`; without an answer what was kept
/// before, else Slurm's defaults.
SiteLimits site_limits(const std::filesystem::path& file);

}  // namespace epochcast::jobs
