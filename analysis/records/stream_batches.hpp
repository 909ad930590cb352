// What the study asks of each batch of a stream.
#pragma once

#include <optional>

#include "src/record/stream_rows.hpp"

namespace epochcast::analysis {

/// From the release by the producer to the start.
inline double latency_s(const record::StreamBatch& batch) {
  return batch.start_s - batch.triggered_s;
}

/// Items by the time from start to end; std::nullopt for a batch without items or without time.
inline std::optional<double> items_per_s(const record::StreamBatch& batch) {
  const double time_s = batch.end_s - batch.start_s;
  return time_s > 0 && batch.batch_size > 0
             ? std::optional(static_cast<double>(batch.batch_size) / time_s)
             : std::nullopt;
}

}  // namespace epochcast::analysis
