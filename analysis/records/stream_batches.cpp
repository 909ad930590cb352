#include "analysis/records/stream_batches.hpp"

namespace epochcast::analysis {

double latency_s(const record::StreamBatch& batch) {
  return batch.start_s - batch.triggered_s;
}

std::optional<double> items_per_s(const record::StreamBatch& batch) {
  const double time_s = batch.end_s - batch.start_s;
  return time_s > 0 && batch.batch_size > 0
             ? std::optional(static_cast<double>(batch.batch_size) / time_s)
             : std::nullopt;
}

}  // namespace epochcast::analysis
