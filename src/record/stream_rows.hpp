// Rows of a streaming run: one for each batch whose answers are durable.
#pragma once

#include <cstdint>

#include "src/base/core/fields.hpp"
#include "src/record/fixed_text.hpp"

namespace epochcast::record {

struct StreamBatch {
  FixedText<64> source;
  std::int64_t batch_id = 0;
  std::int64_t batch_size = 0;
  double triggered_s = 0;
  double received_s = 0;
  double start_s = 0;
  double end_s = 0;
  double durable_s = 0;
  std::int64_t labelled = 0;
  double accuracy = 0;
  std::int64_t refused = 0;
};
constexpr auto fields_of(Tag<StreamBatch>) {
  return FieldTable{
      Field{"source", "1", "Name of the stream that the batch belongs to", &StreamBatch::source},
      Field{"batch_id", "1", "Number of the batch in its source", &StreamBatch::batch_id},
      Field{"batch_size", "items", "Items of the batch", &StreamBatch::batch_size},
      Field{"triggered_s", "s",
            "When the producer released the batch, by its wall clock; before the start of this "
            "process: negative",
            &StreamBatch::triggered_s},
      Field{"received_s", "s", "When the consumer had received it", &StreamBatch::received_s},
      Field{"start_s", "s",
            "When the consumer began to prepare its items; latency is start_s - triggered_s",
            &StreamBatch::start_s},
      Field{"end_s", "s",
            "When the network had answered it; throughput is batch_size / (end_s - start_s)",
            &StreamBatch::end_s},
      Field{"durable_s", "s", "When the answers were on disk; the source is told afterwards",
            &StreamBatch::durable_s},
      Field{"labelled", "items", "Answered items whose right class is known",
            &StreamBatch::labelled},
      Field{"accuracy", "1", "Share of them that was classified correctly", &StreamBatch::accuracy},
      Field{"refused", "items", "Items that are no text or picture; their answer is the reason",
            &StreamBatch::refused},
  };
}

}  // namespace epochcast::record
