// The consumer of a stream: three stages with a thread each, and a limited number of batches
// between them.
//
//   receive (Source) ─▶ answer (Predictor) ─▶ keep (Sink) ─▶ receive: tell the source
//
// A batch whose answers cannot be kept, because the disk is full, waits and is tried again; then
// the stages before it wait, then the source, then the producer.
#pragma once

#include <functional>

#include "src/base/core/clock.hpp"
#include "src/record/run/streaming.hpp"
#include "src/serving/stream/sink.hpp"
#include "src/serving/stream/transport.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::stream {

/// Times of a batch; seconds since 1970 in `answered`.
struct BatchReport {
  const AnsweredBatch& answered;
  double durable = 0;
};

struct ConsumerParts {
  serve::Predictor& predictor;
  Source& source;
  Sink& sink;
  const Clock& clock;
  run::ConsumeOptions options;
  StopRequested stop = [] { return false; };
  /// Called after each durable batch, and about once a second, by one thread.
  std::function<void(const BatchReport&)> on_batch = [](const auto&) {};
  std::function<void()> on_tick = [] {};
  std::function<void(const std::string&)> report = [](const auto&) {};  ///< Messages to the user.
};

enum class ConsumerEnd {
  all_done,  ///< ConsumeOptions::batches are durable.
  idle,      ///< ConsumeOptions::idle has passed without a batch.
  stopped    ///< `stop` was true.
};

/// Answers batches until one of the ends. What was received before is answered and kept, and the
/// source is told. Throws Error and RunError of any stage; then what is not durable comes again.
/// The predictor is called by the calling thread.
ConsumerEnd consume(const ConsumerParts& parts);

}  // namespace epochcast::stream
