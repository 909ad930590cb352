// The queue of a site at earlier times, from the accounting: to measure how wrong the model is.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/queue/queue_now.hpp"
#include "src/forecast/queue/use_shares.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::queue {

/// A job of the accounting, or one of now, on the clock of the accounting: local time in seconds,
/// as slurm::parse_stamp_s reads it.
struct PastJob {
  ModelJob job;                     ///< As it was asked for.
  std::vector<std::size_t> ran_on;  ///< Its nodes; empty: not known, or it has not started.
  std::vector<std::string> partitions;
  std::string account = {};    ///< Empty: not known.
  double eligible_s = 0;       ///< From when it waited.
  double started_s = never_s;  ///< never_s: it has not started.
  double ended_s = never_s;    ///< never_s: it runs or waits.
  bool has_started = false;

  double wait_s() const { return started_s - eligible_s; }
};

/// Local time as the accounting prints it, in the seconds of slurm::parse_stamp_s.
double now_stamp_s();

/// All jobs that are known, by eligible_s. Jobs of the accounting without times, and those that
/// no node of `queue` can hold, are left out.
std::vector<PastJob> past_jobs_of(const QueueNow& queue,
                                  const std::vector<slurm::AccountedJob>& ended,
                                  const slurm::ClusterState& now, double now_s);

/// Running and waiting jobs as they were at `time_s`, and the jobs submitted lately until then.
/// `but`: a job that is left out.
QueueModel queue_at(const QueueNow& queue, const std::vector<PastJob>& jobs, double time_s,
                    const PastJob* but);

/// The newest jobs that were submitted until `time_s` (50, of at most a day) as arrivals of
/// `model`, and their rate.
void set_arrivals(const std::vector<PastJob>& jobs, double time_s, const PastJob* but,
                  QueueModel& model);

/// What the jobs used that had ended at `time_s`.
std::vector<PastUse> uses_until(const std::vector<PastJob>& jobs, double time_s);

}  // namespace epochcast::queue
