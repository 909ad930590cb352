// Rows of a service under load: what was sent, what came back, and how long that took. Written by
// epochcast-load.
#pragma once

#include <cstdint>

#include "src/base/core/fields.hpp"
#include "src/record/fixed_text.hpp"
#include "src/record/telemetry_rows.hpp"

namespace epochcast::record {

/// One stage of the load: its requests are those that were to start in it.
struct ServingStage {
  std::int64_t stage = 0;
  double start_s = 0;
  double duration_s = 0;
  double load_from = 0;
  double load_to = 0;
  FixedText<8> load_unit;
  std::int64_t requests = 0;
  std::int64_t answered = 0;
  std::int64_t texts = 0;
  std::int64_t refused = 0;
  std::int64_t unavailable = 0;
  std::int64_t other_statuses = 0;
  std::int64_t timeouts = 0;
  std::int64_t broken = 0;
  double late_s = 0;
};
constexpr auto fields_of(Tag<ServingStage>) {
  return FieldTable{
      Field{"stage", "1", "Number of the stage, from 0", &ServingStage::stage},
      Field{"start_s", "s", "Start time", &ServingStage::start_s},
      Field{"duration_s", "s", "Duration; shorter than asked for in the stage in which it ended",
            &ServingStage::duration_s},
      Field{"load_from", "1", "Users, or requests a second, at the start of the stage",
            &ServingStage::load_from},
      Field{"load_to", "1", "The same at its end", &ServingStage::load_to},
      Field{"load_unit", "1",
            "users (each sends the next request when the last is answered) or 1/s (requests at a "
            "rate, whatever the service does)",
            &ServingStage::load_unit},
      Field{"requests", "1", "Requests for predictions that were to start in the stage",
            &ServingStage::requests},
      Field{"answered", "1", "Of these, answered with status 200", &ServingStage::answered},
      Field{"texts", "1", "Texts in the answered requests", &ServingStage::texts},
      Field{"refused", "1", "Answered with status 429: the queue was full", &ServingStage::refused},
      Field{"unavailable", "1", "Answered with status 503", &ServingStage::unavailable},
      Field{"other_statuses", "1", "Answered with another status", &ServingStage::other_statuses},
      Field{"timeouts", "1", "Not answered within the time limit", &ServingStage::timeouts},
      Field{"broken", "1", "Without an answer: no connection, or it broke", &ServingStage::broken},
      Field{"late_s", "s",
            "Longest time by which the load generator itself began a request too late",
            &ServingStage::late_s},
  };
}

/// One second of the load.
struct ServingSecond {
  double start_s = 0;
  double duration_s = 0;
  std::int64_t stage = 0;
  std::int64_t started = 0;
  std::int64_t answered = 0;
  std::int64_t refused = 0;
  std::int64_t unavailable = 0;
  std::int64_t other_statuses = 0;
  std::int64_t timeouts = 0;
  std::int64_t broken = 0;
  std::int64_t in_flight = 0;
  double p50_s = not_measured;
  double p99_s = not_measured;
  double longest_s = not_measured;
  double late_s = 0;
  double queue_length = not_measured;
  double batches = not_measured;
  double batch_inputs = not_measured;
  double cache_hits = not_measured;
};
constexpr auto fields_of(Tag<ServingSecond>) {
  return FieldTable{
      Field{"start_s", "s", "Start time", &ServingSecond::start_s},
      Field{"duration_s", "s", "Duration: about a second", &ServingSecond::duration_s},
      Field{"stage", "1", "Stage in its middle", &ServingSecond::stage},
      Field{"started", "1", "Requests for predictions that began", &ServingSecond::started},
      Field{"answered", "1", "Requests that were answered with status 200, whenever they began",
            &ServingSecond::answered},
      Field{"refused", "1", "Answered with status 429", &ServingSecond::refused},
      Field{"unavailable", "1", "Answered with status 503", &ServingSecond::unavailable},
      Field{"other_statuses", "1", "Answered with another status", &ServingSecond::other_statuses},
      Field{"timeouts", "1", "Not answered within the time limit", &ServingSecond::timeouts},
      Field{"broken", "1", "Without an answer: no connection, or it broke", &ServingSecond::broken},
      Field{"in_flight", "1", "Requests that had begun and were not answered, at its end",
            &ServingSecond::in_flight},
      Field{"p50_s", "s", "Median latency of the answered requests", &ServingSecond::p50_s},
      Field{"p99_s", "s", "Their 99th percentile", &ServingSecond::p99_s},
      Field{"longest_s", "s", "Their longest latency", &ServingSecond::longest_s},
      Field{"late_s", "s",
            "Longest time by which the load generator itself began a request too late",
            &ServingSecond::late_s},
      Field{"queue_length", "1", "Inputs that waited in the service, at the end of the second",
            &ServingSecond::queue_length},
      Field{"batches", "1", "Micro-batches of the service", &ServingSecond::batches},
      Field{"batch_inputs", "1", "Inputs in these", &ServingSecond::batch_inputs},
      Field{"cache_hits", "1", "Requests that the service answered from its cache",
            &ServingSecond::cache_hits},
  };
}

/// One bin of the histogram of latencies of a stage, of requests that were answered with status
/// 200. The bins are those of HdrHistogram with three digits (src/base/core/latency_histogram.hpp).
struct ServingLatency {
  std::int64_t stage = 0;
  FixedText<8> request;
  std::int64_t low_us = 0;
  std::int64_t width_us = 1;
  std::int64_t count = 0;
};
constexpr auto fields_of(Tag<ServingLatency>) {
  return FieldTable{
      Field{"stage", "1", "Number of the stage, from 0", &ServingLatency::stage},
      Field{"request", "1", "predict, or health: the GET /health before it",
            &ServingLatency::request},
      Field{"low_us", "us",
            "Lowest latency of the bin. At a rate, latency is counted from the moment at which the "
            "request was to start; of users, from its start",
            &ServingLatency::low_us},
      Field{"width_us", "us", "Width of the bin", &ServingLatency::width_us},
      Field{"count", "1", "Requests", &ServingLatency::count},
  };
}

/// The stage of forward passes of which it is not known.
inline constexpr std::int64_t no_stage = -1;

/// The forward passes of the service with one number of inputs, in one stage of the load.
struct ServingPass {
  std::int64_t stage = no_stage;
  std::int64_t inputs = 0;
  std::int64_t passes = 0;
  double sum_s = 0;
};
constexpr auto fields_of(Tag<ServingPass>) {
  return FieldTable{
      Field{"stage", "1",
            "Stage in which they ended, by the service's own metrics at its start and at its end; "
            "-1: not known, because these metrics did not come, or the record is older",
            &ServingPass::stage},
      Field{"inputs", "1", "Inputs of the micro-batch", &ServingPass::inputs},
      Field{"passes", "1", "Forward passes with so many inputs, in the stage",
            &ServingPass::passes},
      Field{"sum_s", "s", "Their time together", &ServingPass::sum_s},
  };
}

}  // namespace epochcast::record
