#include "analysis/predict/recorded_service.hpp"

#include "analysis/records/serving_options.hpp"
#include "src/base/core/error.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::analysis {

std::variant<SeenService, forecast::Refusal> seen_service(const record::Record& record) {
  if (record.serving_stages.empty()) {
    return forecast::Refusal{"the record has no stage of a load"};
  }
  const auto& first = record.serving_stages.front();
  try {
    return SeenService{
        .serve = serve_options_of(record),
        .load = load_options_of(record),
        .passes = record.serving_passes,
        .light_load = first.load_to,
        .light_s = first.duration_s,
        .light_latencies = record::latencies_of(record.serving_latencies, first.stage)};
  } catch (const Error& error) {
    return forecast::Refusal{error.what()};
  }
}

SeenService seen_service(const ServingRuns& runs, const ServingLoad& load) {
  return {.serve = runs.serve_options,
          .load = runs.load_options,
          .passes = load.passes,
          .light_load = load.sum.load_to,
          .light_s = load.mean_duration_s(),
          .light_latencies = load.latencies};
}

}  // namespace epochcast::analysis
