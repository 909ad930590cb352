#include "src/serving/load/summary.hpp"

#include "src/record/serving_queries.hpp"

namespace epochcast::load {
namespace {

constexpr double ms_per_s = 1000;

table::Cell quantile_cell(const LatencyHistogram& latencies, double probability) {
  return latencies.count() == 0 ? table::Cell() : ms_per_s * latencies.quantile_s(probability);
}

}  // namespace

table::Table summary_table(const std::vector<record::ServingStage>& stages,
                           const std::vector<record::ServingLatency>& latencies) {
  table::Table table{.name = "stages",
                     .title = "Stages of the load",
                     .columns = {table::text_column("load", "load"),
                                 table::number_column("duration_s", "duration", "s", 1),
                                 table::number_column("requests", "requests", "", 0),
                                 table::number_column("answered_per_s", "answered", "1/s", 1),
                                 table::number_column("failed", "failed", "", 0),
                                 table::number_column("p50_ms", "p50", "ms", 2),
                                 table::number_column("p90_ms", "p90", "ms", 2),
                                 table::number_column("p99_ms", "p99", "ms", 2),
                                 table::number_column("p999_ms", "p99.9", "ms", 2),
                                 table::number_column("late_ms", "late", "ms", 2)}};
  for (const auto& stage : stages) {
    const auto histogram = record::latencies_of(latencies, stage.stage);
    table.rows.push_back(
        {record::load_text(stage), stage.duration_s, static_cast<double>(stage.requests),
         static_cast<double>(stage.answered) / stage.duration_s,
         static_cast<double>(record::failed_of(stage)), quantile_cell(histogram, 0.5),
         quantile_cell(histogram, 0.9), quantile_cell(histogram, 0.99),
         quantile_cell(histogram, 0.999), ms_per_s * stage.late_s});
  }
  table.notes.emplace_back(
      "latency of the answered requests; late: the longest time by which this program itself began "
      "a request too late");
  return table;
}

}  // namespace epochcast::load
