// How long a job of an allocation would wait, from a model of the queue and from past waits.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/forecast/queue/past_queue.hpp"
#include "src/forecast/queue/queue_now.hpp"
#include "src/forecast/queue/queue_part.hpp"
#include "src/forecast/queue/wait_scores.hpp"
#include "src/slurm/accounting.hpp"
#include "src/slurm/cluster_state.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// Where a wait is from.
enum class WaitSource {
  queue,       ///< The model of the queue.
  past_waits,  ///< Quantiles of past waits.
  none         ///< There is no queue.
};
constexpr auto texts_of(Tag<WaitSource>) {
  return std::array{EnumText<WaitSource>{WaitSource::queue, "queue"},
                    EnumText<WaitSource>{WaitSource::past_waits, "past waits"},
                    EnumText<WaitSource>{WaitSource::none, "none"}};
}

/// The answer of one method.
struct WaitForecast {
  WaitSource source = WaitSource::none;
  forecast::Prediction
      wait_s;  ///< Median and 80 % interval, the interval calibrated by the method's past errors.
  queue::MeasuredError error;
  std::vector<std::string> reasons;  ///< How it was made, one line each.
};

/// All that is known of the wait for an allocation.
struct AllocationWait {
  /// The model of the queue, which alone sees what waits now; past waits if their measured interval
  /// score is less than half of the model's (as where a site hides the jobs of others) or if there
  /// is no model. None that says "at once" where the queue shows that no room is free.
  std::optional<WaitForecast> chosen;
  std::vector<WaitForecast> others;
  std::string problem;          ///< Why sbatch would refuse the job, or why the wait is not known.
  std::optional<double> gap_s;  ///< gap_now_s.
};

/// What a site says of its queue; asked once.
struct SiteQueue {
  slurm::Site site;
  slurm::ClusterState state;
  std::vector<slurm::AccountedJob> past;
  double now_s = 0;                ///< now_stamp_s() before it was asked.
  std::vector<std::string> notes;  ///< What could not be asked.
};

/// Asks Slurm. `past`: jobs to learn from, instead of the accounting of the last `days`.
SiteQueue query_site_queue(const std::optional<std::vector<slurm::AccountedJob>>& past,
                           std::int64_t days);

/// The request of an allocation with the limit `limit_s`. An empty partition is the site's default.
queue::ModelRequest request_of(const AllocationProfile& site, double limit_s,
                               const std::vector<slurm::Partition>& partitions);

/// Forecasts waits at a site.
class WaitForecaster {
 public:
  explicit WaitForecaster(SiteQueue queue);

  /// The wait of a job of `site` with the limit `limit_s` that is submitted now.
  AllocationWait wait_of(const AllocationProfile& site, double limit_s);

  std::vector<std::string> notes() const;

 private:
  WaitForecast from_queue(const queue::QueuePart& part, const queue::ModelEffort& effort,
                          const std::vector<std::string>& partitions);
  std::optional<WaitForecast> from_past(const queue::ModelJob& job,
                                        const std::vector<std::string>& partitions,
                                        const std::string& account) const;
  /// The model's forecasts of past waits in these partitions; made once.
  const std::vector<queue::PastWait>& scored(const std::vector<std::string>& partitions);

  SiteQueue site_;
  queue::QueueNow now_;
  std::vector<queue::PastJob> jobs_;
  queue::UseShares shares_;
  std::map<std::vector<std::string>, std::vector<queue::PastWait>> scored_;
};

}  // namespace epochcast::jobs
