// What epochcast-load prints at its end.
#pragma once

#include <vector>

#include "src/output/table/table.hpp"
#include "src/record/serving_rows.hpp"

namespace epochcast::load {

/// A row for each stage: load, requests, answers a second, failures, quantiles of the latency.
table::Table summary_table(const std::vector<record::ServingStage>& stages,
                           const std::vector<record::ServingLatency>& latencies);

}  // namespace epochcast::load
