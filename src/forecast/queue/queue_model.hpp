// A model of the queue: from the jobs that run and wait now to the time at which another one would
// start, as a batch system with conservative backfill would decide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/forecast/queue/node_plan.hpp"
#include "src/forecast/queue/use_shares.hpp"

namespace epochcast::queue {

/// A job of the model. Times are seconds from the moment of the forecast.
struct ModelJob {
  std::string user;
  std::vector<std::size_t> nodes;      ///< Where it runs, or may run; sorted.
  std::vector<std::size_t> partition;  ///< All nodes of its partitions (a job that waits).
  std::size_t count = 1;               ///< How many nodes it takes.
  Resources each;                      ///< Of each of them.
  double limit_s = never_s;            ///< never_s: it has no limit.
  double elapsed_s = 0;                ///< Of a job that runs.
  std::int64_t tier = 1;               ///< Priority tier of its partition: higher ones go first.
  std::string request = {};  ///< Partitions, nodes and resources: the same for jobs of one kind.
  std::string kind = {};     ///< Its name without digits; empty: not known.
};

struct QueueModel {
  std::vector<Resources> nodes;  ///< What each node has when no job runs.
  std::vector<ModelJob> running;
  std::vector<ModelJob> waiting;  ///< In the order in which the scheduler looks at them.
  /// Jobs that were submitted lately: more like them will come, at this rate.
  std::vector<ModelJob> arrivals;
  double arrivals_per_s = 0;
  double backfill_interval_s = 30;
  double clock_s = 0;  ///< The clock at the moment of the forecast: seconds since 1970.
  /// Jobs that run on nodes outside this model, or some of them: their limits count for the groups
  /// of a backfill (BackfillPlan).
  std::vector<ModelJob> elsewhere = {};
};

/// How much is computed: a large cluster gets fewer draws and fewer planned starts.
struct ModelEffort {
  std::size_t draws = 100;
  std::size_t planned = 50;  ///< Waiting jobs that get a planned start; later ones only fill gaps.
  std::size_t scored = 100;  ///< Past waits that are forecast to measure the error.

  bool is_possible() const { return draws > 0; }
};
/// No draws for a queue that would take minutes.
ModelEffort effort_for(const QueueModel& model);

/// The waits of `job`, submitted now after all waiting jobs of its tier, one for each draw. In a
/// draw every other job takes a share of its limit that jobs took before. The scheduler knows only
/// limits: after each end of a job it starts waiting jobs in their order until one has no room, and
/// every backfill_interval_s those that delay no planned start of an earlier one. A job without a
/// limit never ends, as far as the scheduler plans. Other users go on submitting jobs like their
/// latest ones, at random times (a Poisson process).
/// never_s: the job did not start in that draw.
std::vector<double> wait_draws(const QueueModel& model, const ModelJob& job,
                               const UseShares& shares, const ModelEffort& effort,
                               std::uint64_t seed);

/// How long `job` could run at most if it started now without delaying a planned start of a waiting
/// job; 0: there is no room now, never_s: nothing is planned.
double gap_now_s(const QueueModel& model, const ModelJob& job, const ModelEffort& effort);

}  // namespace epochcast::queue
