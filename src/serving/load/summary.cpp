#include "src/serving/load/summary.hpp"

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
