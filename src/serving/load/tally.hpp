// Counts the requests of a load by stage and by second, and makes the rows of the record.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/core/latency_histogram.hpp"
#include "src/record/serving_rows.hpp"
#include "src/serving/http/client.hpp"
#include "src/serving/load/stages.hpp"

namespace epochcast::load {

/// A request that has ended.
struct Ended {
  std::size_t stage = 0;
  double latency_s = 0;
  std::int64_t texts = 0;
};

class Tally {
 public:
  /// `start_s`: the time at which the load starts, on the clock of the record.
  Tally(const Stages& stages, double start_s);

  /// A request for a prediction begins, `late_s` after the moment at which it was to.
  void begin(std::size_t stage, double late_s);
  void end(const Ended& request, const http::Answer& answer);
  /// The GET /health before a request was answered.
  void end_health(std::size_t stage, double latency_s, const http::Answer& answer);

  /// What happened since the last call, up to `now_s`.
  record::ServingSecond take_second(double now_s);

  std::int64_t in_flight() const { return in_flight_; }
  std::int64_t in_flight(std::size_t stage) const { return by_stage_[stage].in_flight; }
  std::int64_t answered() const;
  /// The row of a stage, which ended at `end_s` at the latest, and its histograms.
  record::ServingStage stage_row(std::size_t stage, double end_s) const;
  std::vector<record::ServingLatency> latency_rows(std::size_t stage) const;

 private:
  struct OfStage {
    record::ServingStage row;
    LatencyHistogram latencies;
    LatencyHistogram health;
    std::int64_t in_flight = 0;
  };
  std::vector<OfStage> by_stage_;
  const Stages& stages_;
  double start_s_;
  double second_start_s_;
  record::ServingSecond second_;
  LatencyHistogram second_latencies_;
  double longest_s_ = 0;
  std::int64_t in_flight_ = 0;
};

}  // namespace epochcast::load
