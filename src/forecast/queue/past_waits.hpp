// What earlier jobs waited, and what a forecast of each of them would have been.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/queue/past_queue.hpp"
#include "src/forecast/queue/wait_scores.hpp"

namespace epochcast::jobs {

/// One past wait: when it began, and how long it was.
struct KnownWait {
  double eligible_s = 0;
  double wait_s = 0;
};

struct SimilarWaits {
  std::vector<KnownWait> waits;  ///< By eligible_s.
  std::string what;              ///< "these partitions, a similar size and limit, ...".
};

/// Whether two lists of partitions have one in common.
bool shares_any(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// The waits of the jobs most like `job` of which there are enough: of its partitions with half to
/// twice its nodes, CPUs, GPUs and limit within 3 hours of this time of day; else at any hour; else
/// with any limit; else of any size.
SimilarWaits similar_waits(const std::vector<PastJob>& jobs, const ModelJob& job,
                           const std::vector<std::string>& partitions, double now_s);

/// Order statistics of past waits (forecast::PastTimes); std::nullopt with too few.
std::optional<forecast::Prediction> wait_from(const std::vector<KnownWait>& waits);

/// The newest of these waits, each forecast from those that had ended when it began.
std::vector<PastWait> forecasts_of_past_waits(const std::vector<KnownWait>& waits);

/// The newest waits in these partitions, each forecast by the model from the jobs that ran and
/// waited when it began, and from what jobs had used until then. Fewer, or none, of a large queue
/// (ModelEffort::scored).
std::vector<PastWait> model_on_past_waits(const QueueNow& queue, const std::vector<PastJob>& jobs,
                                          const std::vector<std::string>& partitions);

}  // namespace epochcast::jobs
