// What the study asks of each batch of a stream.
#pragma once

#include <optional>

#include "src/record/stream_rows.hpp"

namespace epochcast::analysis {

/// From the release by the producer to the start.
double latency_s(const record::StreamBatch& batch);

/// Items by the time from start to end; std::nullopt for a batch without items or without time.
std::optional<double> items_per_s(const record::StreamBatch& batch);

}  // namespace epochcast::analysis
