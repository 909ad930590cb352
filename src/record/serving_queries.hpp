// Questions to the rows of a service under load.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/latency_histogram.hpp"
#include "src/record/serving_rows.hpp"

namespace epochcast::record {

/// The latencies of the answered requests of a stage; `request` is predict or health.
LatencyHistogram latencies_of(const std::vector<ServingLatency>& rows, std::int64_t stage,
                              std::string_view request = "predict");

/// Requests that got no answer, or another status than 200.
std::int64_t failed_of(const ServingStage& stage);

/// "10/s", "1-10 users".
std::string load_text(const ServingStage& stage);

/// Whether a ramp: its load is not the same from start to end.
bool is_ramp(const ServingStage& stage);

/// The share of all requests of the stage that were answered with status 200 within `limit_s`; a
/// failed request is one that was not. 1 if there were no requests.
double share_within(const ServingStage& stage, const LatencyHistogram& latencies, double limit_s);

}  // namespace epochcast::record
