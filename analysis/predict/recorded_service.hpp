// Converts the record of a load to the input of the forecast of its service.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/refusal.hpp"
#include "src/forecast/serving.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// What a record says about its service and its load.
struct MeasuredService {
  forecast::Service service;
  forecast::Traffic traffic;               ///< Of the last stage.
  double threshold_s = 0;                  ///< load.threshold
  std::vector<forecast::BatchTime> times;  ///< Mean time of a micro-batch, by size.
  double largest_error = 0;                ///< Of the fit of the cost, at these sizes; relative.
  std::vector<std::string> reasons;        ///< What the forecast assumes, a line each.
};

/// From a record of a load. The cost of a micro-batch is fitted to the sizes that were seen at
/// least three times; the time outside of queue and network is what the median latency of the first
/// stage has beyond its simulation. Refused without micro-batches, and if all have one size while
/// the service allows others.
std::variant<MeasuredService, forecast::Refusal> service_of(const record::Record& record);

/// The traffic of a stage of the record: its load at its end, its time and its kinds of requests.
/// `stage` is one of record.serving_stages.
forecast::Traffic traffic_of(const record::Record& record, std::size_t stage);

}  // namespace epochcast::analysis
