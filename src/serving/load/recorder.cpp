#include "src/serving/load/recorder.hpp"

#include <chrono>

#include "src/base/core/error.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::load {
namespace {

constexpr double ms_per_s = 1000;

/// A stage and the latencies of its answers.
struct StageRow {
  record::ServingStage stage;
  LatencyHistogram latencies;
};

/// A quantile of the latencies; empty where nothing was answered.
auto quantile_ms(double probability) {
  return [probability](const StageRow& row) {
    return row.latencies.count() == 0
               ? table::Cell()
               : table::Cell(ms_per_s * row.latencies.quantile_s(probability));
  };
}

}  // namespace

void LoadRecorder::start() {
  thread_.start(std::chrono::duration<double>(flush_interval_s_), [this] {
    write();
    try {
      record_.flush();
    } catch (const Error&) {  // a full disk; the rows stay, and the last flush tells it
    }
  });
}

void LoadRecorder::take(const record::ServingSecond& row) {
  const std::lock_guard lock(mutex_);
  seconds_.push_back(row);
}

void LoadRecorder::take(const record::ServingStage& row,
                        const std::vector<record::ServingLatency>& latencies) {
  const std::lock_guard lock(mutex_);
  stages_.push_back(row);
  latencies_.insert(latencies_.end(), latencies.begin(), latencies.end());
}

void LoadRecorder::take(const std::vector<record::ServingPass>& rows) {
  const std::lock_guard lock(mutex_);
  passes_ = rows;
}

void LoadRecorder::write() {
  std::vector<record::ServingSecond> seconds;
  std::vector<record::ServingPass> passes;
  std::vector<record::ServingStage> stages;
  std::vector<record::ServingLatency> latencies;
  {
    const std::lock_guard lock(mutex_);
    seconds.swap(seconds_);
    passes.swap(passes_);
    stages.assign(stages_.begin() + static_cast<std::ptrdiff_t>(written_stages_), stages_.end());
    latencies.assign(latencies_.begin() + static_cast<std::ptrdiff_t>(written_latencies_),
                     latencies_.end());
    written_stages_ = stages_.size();
    written_latencies_ = latencies_.size();
  }
  for (const auto& row : seconds) {
    record_.append(row);
  }
  for (const auto& row : stages) {
    record_.append(row);
  }
  for (const auto& row : latencies) {
    record_.append(row);
  }
  for (const auto& row : passes) {
    record_.append(row);
  }
  telemetry_.write(record_, {});
}

void LoadRecorder::finish(double start_s, double end_s) {
  thread_.stop();
  telemetry_.end();
  write();
  telemetry_.finish(record_, start_s, end_s);
}

table::Table summary_table(const std::vector<record::ServingStage>& stages,
                           const std::vector<record::ServingLatency>& latencies) {
  std::vector<StageRow> rows;
  for (const auto& stage : stages) {
    rows.push_back({stage, record::latencies_of(latencies, stage.stage)});
  }
  const table::Columns<StageRow> columns{
      {"load", "load", [](const auto& row) { return record::load_text(row.stage); }},
      {"duration_s", "duration", "s", 1, [](const auto& row) { return row.stage.duration_s; }},
      {"requests", "requests", "", 0, [](const auto& row) { return row.stage.requests; }},
      {"answered_per_s", "answered", "1/s", 1,
       [](const auto& row) {
         return static_cast<double>(row.stage.answered) / row.stage.duration_s;
       }},
      {"failed", "failed", "", 0, [](const auto& row) { return record::failed_of(row.stage); }},
      {"p50_ms", "p50", "ms", 2, quantile_ms(0.5)},
      {"p90_ms", "p90", "ms", 2, quantile_ms(0.9)},
      {"p99_ms", "p99", "ms", 2, quantile_ms(0.99)},
      {"p999_ms", "p99.9", "ms", 2, quantile_ms(0.999)},
      {"late_ms", "late", "ms", 2, [](const auto& row) { return ms_per_s * row.stage.late_s; }}};
  return table::make_table(
      "stages", "Stages of the load", columns, rows,
      {"latency of the answered requests; late: the longest time by which this program itself "
       "began a request too late"});
}

}  // namespace epochcast::load
