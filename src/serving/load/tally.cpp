#include "src/serving/load/tally.hpp"

#include <algorithm>

namespace epochcast::load {
namespace {

constexpr int status_too_many = 429;
constexpr int status_unavailable = 503;

/// The counter of the row, of a stage or a second, to which the answer belongs.
template <class Row>
std::int64_t& counter_of(Row& row, const http::Answer& answer) {
  if (answer.failure == http::Failure::timeout) {
    return row.timeouts;
  }
  if (answer.failure == http::Failure::connection) {
    return row.broken;
  }
  if (answer.is_ok()) {
    return row.answered;
  }
  switch (answer.status) {
    case status_too_many:
      return row.refused;
    case status_unavailable:
      return row.unavailable;
    default:
      return row.other_statuses;
  }
}

void append_bins(std::size_t stage, const char* request, const LatencyHistogram& histogram,
                 std::vector<record::ServingLatency>& rows) {
  for (const auto& bin : histogram.bins()) {
    rows.push_back({.stage = static_cast<std::int64_t>(stage),
                    .request = request,
                    .low_us = bin.low_us,
                    .width_us = bin.width_us,
                    .count = bin.count});
  }
}

}  // namespace

Tally::Tally(const Stages& stages, double start_s)
    : by_stage_(stages.list.size()), stages_(stages), start_s_(start_s), second_start_s_(start_s) {}

void Tally::begin(std::size_t stage, double late_s) {
  auto& of_stage = by_stage_[stage];
  ++of_stage.row.requests;
  ++of_stage.in_flight;
  of_stage.row.late_s = std::max(of_stage.row.late_s, late_s);
  ++second_.started;
  second_.late_s = std::max(second_.late_s, late_s);
  ++in_flight_;
}

void Tally::end(const Ended& request, const http::Answer& answer) {
  auto& of_stage = by_stage_[request.stage];
  --of_stage.in_flight;
  --in_flight_;
  ++counter_of(of_stage.row, answer);
  ++counter_of(second_, answer);
  if (answer.is_ok()) {
    of_stage.row.texts += request.texts;
    of_stage.latencies.add(request.latency_s);
    second_latencies_.add(request.latency_s);
    longest_s_ = std::max(longest_s_, request.latency_s);
  }
}

void Tally::end_health(std::size_t stage, double latency_s, const http::Answer& answer) {
  if (answer.is_ok()) {
    by_stage_[stage].health.add(latency_s);
  }
}

record::ServingSecond Tally::take_second(double now_s) {
  constexpr double median = 0.5;
  constexpr double high = 0.99;
  record::ServingSecond row = second_;
  row.start_s = second_start_s_;
  row.duration_s = now_s - second_start_s_;
  const double middle_s = (second_start_s_ + now_s) / 2;
  row.stage = static_cast<std::int64_t>(stages_.at(middle_s - start_s_));
  row.in_flight = in_flight_;
  if (second_latencies_.count() > 0) {
    row.p50_s = second_latencies_.quantile_s(median);
    row.p99_s = second_latencies_.quantile_s(high);
    row.longest_s = longest_s_;
  }
  second_ = {};
  second_latencies_.clear();
  longest_s_ = 0;
  second_start_s_ = now_s;
  return row;
}

std::int64_t Tally::answered() const {
  std::int64_t sum = 0;
  for (const auto& of_stage : by_stage_) {
    sum += of_stage.row.answered;
  }
  return sum;
}

record::ServingStage Tally::stage_row(std::size_t stage, double end_s) const {
  const auto& planned = stages_.list[stage];
  record::ServingStage row = by_stage_[stage].row;
  row.stage = static_cast<std::int64_t>(stage);
  row.start_s = start_s_ + stages_.start_s(stage);
  row.duration_s = std::max(0.0, std::min(planned.duration_s, end_s - row.start_s));
  row.load_from = planned.from;
  row.load_to = planned.to;
  row.load_unit = stages_.are_rates ? "1/s" : "users";
  return row;
}

std::vector<record::ServingLatency> Tally::latency_rows(std::size_t stage) const {
  std::vector<record::ServingLatency> rows;
  append_bins(stage, "predict", by_stage_[stage].latencies, rows);
  append_bins(stage, "health", by_stage_[stage].health, rows);
  return rows;
}

}  // namespace epochcast::load
