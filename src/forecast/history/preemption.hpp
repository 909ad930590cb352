// How often past jobs of a partition were preempted, and what that costs a run in the mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::history {

/// Jobs of the accounting that ran in some partitions.
struct Preemptions {
  std::size_t jobs = 0;  ///< Lives of jobs, where one was requeued.
  std::size_t preempted = 0;
  double hours = 0;  ///< That they ran, whatever their size.

  /// Preemptions an hour of a job, as of a Poisson process; the intervals are exact (Garwood 1936).
  /// std::nullopt if no job was preempted: the accounting then says nothing about the rate.
  std::optional<forecast::Prediction> per_hour() const;
};

Preemptions preemptions_in(const std::vector<slurm::AccountedJob>& jobs,
                           const std::vector<std::string>& partitions);

/// A run of parts of the same length, each of which is lost if the job is preempted before its end.
struct RunInParts {
  double part_s = 0;
  double parts = 1;
  double again_s = 0;  ///< From the start of a job until it goes on with the run.
};

/// The means for a rate, whose intervals they keep.
struct ExpectedLoss {
  forecast::Prediction preemptions;
  forecast::Prediction lost_s;  ///< Of work, and of the starts again.
};
ExpectedLoss expected_loss(const RunInParts& run, const forecast::Prediction& per_hour);

}  // namespace epochcast::history
