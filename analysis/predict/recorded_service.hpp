// What records say of a service under load, as the input of its forecast.
#pragma once

#include <variant>
#include <vector>

#include "analysis/groups/serving_runs.hpp"
#include "src/base/core/latency_histogram.hpp"
#include "src/forecast/run/prediction.hpp"
#include "src/record/record.hpp"
#include "src/record/run/serving.hpp"

namespace epochcast::analysis {

/// A service that answered a light load.
struct SeenService {
  run::ServeOptions serve;
  run::LoadOptions load;
  std::vector<record::ServingPass> passes;  ///< Several rows may have the same number of inputs.
  double light_load = 0;                    ///< Requests/s or users, of the lightest stage ...
  double light_s = 0;                       ///< ... its duration ...
  LatencyHistogram light_latencies;         ///< ... and its answered requests.
};

/// From all stages of a record; its first stage is taken as the lightest. Refused without a stage,
/// and for parameters that are not valid.
std::variant<SeenService, forecast::Refusal> seen_service(const record::Record& record);

/// From one load of the runs alone.
SeenService seen_service(const ServingRuns& runs, const ServingLoad& load);

}  // namespace epochcast::analysis
