// Advice on where to run an experiment: asks the site, forecasts run and wait, chooses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/advise/advice.hpp"
#include "jobs/campaign/generate.hpp"

namespace epochcast::jobs {

struct AdviseRequest {
  GenerateRequest generate;  ///< `out` is not used.
  RunSources sources;
  /// Jobs from which waits are learned, instead of those of the accounting.
  std::optional<std::vector<slurm::AccountedJob>> history;
  Wishes wishes;
  std::int64_t past_days = 14;  ///< Of the accounting, from which waits are learned.
};

struct Advice {
  std::string experiment;
  std::string cluster;
  std::vector<AdviceRow> rows;      ///< One an allocation, in the order of the profile.
  std::string choice;               ///< What to choose and why, in one line.
  std::vector<std::string> pilots;  ///< What further pilots would tell.
  std::vector<std::string> notes;   ///< What could not be asked.
};

/// Submits nothing. Without a scheduler nothing waits. Throws Error for a wrong experiment or
/// profile, and if an allocation has several runs.
Advice advise(const AdviseRequest& request);

}  // namespace epochcast::jobs
