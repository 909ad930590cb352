// The forecast of a service at loads that were not applied, from what records say of one that was
// light.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/groups/serving_runs.hpp"
#include "src/base/core/latency_histogram.hpp"
#include "src/forecast/service/serving.hpp"
#include "src/forecast/statistics/prediction.hpp"
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

class ServingForecast {
 public:
  /// The time of a micro-batch of b inputs is fitted as a + c b to the sizes that were seen at
  /// least three times. The time of a request outside of queue and network is what the median
  /// latency of the light load has beyond its simulation. Refused without micro-batches, and if all
  /// have one size while the service allows others.
  static std::variant<ServingForecast, forecast::Refusal> from(const SeenService& seen);

  /// `load` requests/s or users for `time_s`, with the arrivals and the requests that were seen.
  forecast::Traffic traffic(double load, double time_s) const;
  /// What becomes of the traffic, by simulation: of five samples that with the median p99.
  forecast::Served at(const forecast::Traffic& traffic) const;
  /// As forecast::breaking_load.
  std::optional<forecast::BreakingLoad> highest(const forecast::Traffic& traffic,
                                                double threshold_s) const;

  const forecast::Service& service() const { return service_; }
  /// Mean time of a micro-batch by its number of inputs: what the cost was fitted to.
  const std::vector<forecast::BatchTime>& times() const { return times_; }
  /// What the forecast assumes, a line each.
  std::vector<std::string> reasons() const;

 private:
  ServingForecast() = default;
  void set_overhead(const SeenService& seen);

  forecast::Service service_;
  forecast::Arrivals arrivals_ = forecast::Arrivals::poisson;
  std::vector<forecast::RequestKind> kinds_;
  std::vector<forecast::BatchTime> times_;
};

/// From the lightest steady load of the runs that allows a forecast. A load that breaks the
/// threshold is not light: it, and those above it, are not used.
struct LightestForecast {
  const ServingLoad* from = nullptr;
  ServingForecast forecast;
};
std::variant<LightestForecast, forecast::Refusal> lightest_forecast(const ServingRuns& runs);

}  // namespace epochcast::analysis
