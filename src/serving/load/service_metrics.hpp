// What the service under load says about itself: GET /metrics in Prometheus' text format.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "src/record/serving_rows.hpp"

namespace epochcast::load {

/// The sum of all samples of `name`, whatever their labels; NaN if there are none.
double sample_sum(std::string_view text, std::string_view name);

/// The metrics of our services that a record keeps; those that another service lacks are NaN.
struct ServiceMetrics {
  double queue_length = record::not_measured;  ///< Now.
  double batches = record::not_measured;       ///< Since its start, as the others.
  double batch_inputs = record::not_measured;
  double cache_hits = record::not_measured;
  struct Passes {
    double number = 0;
    double seconds = 0;
  };
  std::map<std::int64_t, Passes> passes = {};  ///< Forward passes, by their number of inputs.
};

ServiceMetrics parse_service_metrics(std::string_view text);

/// Sets the queue length of `now`, and of the others what was added since `before`.
void set_metrics(const ServiceMetrics& before, const ServiceMetrics& now,
                 record::ServingSecond& second);

/// The forward passes between the two.
std::vector<record::ServingPass> passes_between(const ServiceMetrics& before,
                                                const ServiceMetrics& now);

}  // namespace epochcast::load
