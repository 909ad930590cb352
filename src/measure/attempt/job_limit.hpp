// The end of the job that a program runs in, and what the program does before it.
#pragma once

#include <optional>

#include "src/measure/attempt/limit_options.hpp"
#include "src/record/record.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::attempt {

/// When the job ends on the clock of the record: SLURM_JOB_END_TIME, else what Slurm told about the
/// job when the record was begun. std::nullopt: no limit, or none is known.
std::optional<double> job_end_s(const record::Record& start, const slurm::Environment& environment,
                                double now_s);

struct JobLimit {
  LimitOptions options = {};
  std::optional<double> end_s = {};  ///< As job_end_s; known on rank 0.

  bool by_epochs() const { return options.near_limit == "epoch"; }
  bool stops_if_over() const { return options.over_limit == "stop"; }
  /// Until when epochs may run. `end_s` is known.
  double usable_s() const;
};

}  // namespace epochcast::attempt
