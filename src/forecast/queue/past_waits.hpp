// How long a job waits, from what earlier jobs waited: the user's own first, batch by batch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/forecast/queue/past_queue.hpp"
#include "src/forecast/queue/wait_scores.hpp"
#include "src/forecast/statistics/like_times.hpp"

namespace epochcast::queue {

/// Whether two lists of partitions have one in common.
bool shares_any(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// Jobs of one user that ask for the same and became eligible in the same hour are one observation:
/// they wait alike. A batch weighs more the more it is like the job that is asked for: of the same
/// user or account, in the same partitions, with a similar limit and size, newer, and at the same
/// time of day.
class PastWaits {
 public:
  /// `jobs` by eligible_s; those without a start are waiting still. `asked`: a job of now, the last
  /// batch.
  explicit PastWaits(const std::vector<PastJob>& jobs, const std::optional<PastJob>& asked = {});
  PastWaits(PastWaits&&) = delete;

  /// The jobs of each batch, by their places in `jobs`; the batches by time.
  const std::vector<std::vector<std::size_t>>& batches() const { return members_; }

  /// From what was known when a batch became eligible; std::nullopt: too few waits.
  std::optional<forecast::Prediction> forecast_s(std::size_t batch) const;

  /// The newest 100 batches before this one that had time to start (forecast::LikeTimes), each with
  /// its forecast.
  std::vector<PastWait> forecasts_before(std::size_t batch) const;

 private:
  std::vector<PastJob> first_;  ///< Of each batch.
  std::vector<std::vector<std::size_t>> members_;
  std::vector<double> median_s_;
  std::unique_ptr<forecast::LikeTimes> times_;
};

/// The newest waits in these partitions, each forecast by the model from the jobs that ran and
/// waited when it began, and from what jobs had used until then. Fewer, or none, of a large queue
/// (ModelEffort::scored). Only of jobs that had time to start.
std::vector<PastWait> model_on_past_waits(const QueueNow& queue, const std::vector<PastJob>& jobs,
                                          const std::vector<std::string>& partitions);

}  // namespace epochcast::queue
