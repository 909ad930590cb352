// What preemption may cost a run on an allocation.
#pragma once

#include <optional>
#include <string>

#include "jobs/advise/queue_wait.hpp"
#include "jobs/advise/run_forecast.hpp"
#include "src/forecast/history/preemption.hpp"

namespace epochcast::jobs {

struct Preemption {
  std::string partitions;  ///< Those whose jobs may be preempted, and how; empty: none.
  std::string detail;      ///< How often past jobs were, or why that is not known.
  std::optional<history::ExpectedLoss> loss = {};
};

/// A job may be preempted if its partition does not say PreemptMode=OFF and shares nodes with one
/// of a higher tier, at a site that preempts by partition. How often, the accounting says.
/// `epochs_between`: from one checkpoint to the next; 0: there is none, and the whole run is lost.
Preemption preemption_of(const AllocationProfile& site, const RunForecast& run,
                         std::int64_t epochs_between, const SiteQueue& queue);

}  // namespace epochcast::jobs
