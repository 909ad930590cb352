#include "src/record/serving_queries.hpp"

#include <fmt/format.h>

#include "src/base/core/text.hpp"

namespace epochcast::record {

LatencyHistogram latencies_of(const std::vector<ServingLatency>& rows, std::int64_t stage,
                              std::string_view request) {
  LatencyHistogram histogram;
  for (const auto& row : rows) {
    if (row.stage == stage && row.request.view() == request) {
      histogram.add({.low_us = row.low_us, .width_us = row.width_us, .count = row.count});
    }
  }
  return histogram;
}

std::int64_t failed_of(const ServingStage& stage) {
  return stage.refused + stage.unavailable + stage.other_statuses + stage.timeouts + stage.broken;
}

std::string load_text(const ServingStage& stage) {
  const auto load = is_ramp(stage) ? fmt::format("{}-{}", format_shortest(stage.load_from),
                                                 format_shortest(stage.load_to))
                                   : format_shortest(stage.load_to);
  return load + (stage.load_unit.view() == "users" ? " users" : "/s");
}

bool is_ramp(const ServingStage& stage) {
  return stage.load_from != stage.load_to;
}

double share_within(const ServingStage& stage, const LatencyHistogram& latencies, double limit_s) {
  return stage.requests == 0 ? 1
                             : static_cast<double>(latencies.count_up_to(limit_s)) /
                                   static_cast<double>(stage.requests);
}

}  // namespace epochcast::record
