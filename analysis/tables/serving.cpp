// A service under load: latencies and throughput at each load, and the highest load at which p99
// stays below its threshold.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/groups/serving_runs.hpp"
#include "analysis/predict/serving_forecast.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::analysis::tables {
namespace {

constexpr double ms_per_s = 1000;
constexpr double mib = 1024 * 1024;
constexpr double percent = 100;

std::vector<table::Column> service_columns(const std::vector<std::string>& by) {
  return table::columns_by(
      table::text_column("allocation", "allocation"), by,
      {table::text_column("device", "device"), table::text_column("service", "service"),
       table::text_column("source", "source"), table::text_column("arrivals", "arrivals")});
}

table::Row service_cells(const ServingRuns& runs) {
  return table::row_by(runs.allocation, runs.by,
                       {runs.device, runs.service, runs.source, runs.arrivals});
}

void append(table::Row& row, const table::Row& cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

table::Cell ratio_of(double sum, double count) {
  return count > 0 ? table::Cell(sum / count) : table::Cell();
}

/// A service, and what its lightest load forecasts of the others.
struct Forecast {
  const ServingRuns& runs;
  std::variant<LightestForecast, forecast::Refusal> made;

  const LightestForecast* lightest() const { return std::get_if<LightestForecast>(&made); }
};

std::vector<Forecast> forecasts_of(const ServingStudy& study) {
  std::vector<Forecast> forecasts;
  for (const auto& runs : study.runs) {
    forecasts.push_back({runs, lightest_forecast(runs)});
  }
  return forecasts;
}

/// The forecast of p99 at a load and its error; empty for ramps, and for loads that are not above
/// that from which the forecast is.
table::Row forecast_cells(const ServingLoad& load, const LightestForecast* lightest) {
  if (lightest == nullptr || record::is_ramp(load.sum) || load.sum.requests == 0 ||
      load.sum.load_to <= lightest->from->sum.load_to) {
    return {table::Cell(), table::Cell()};
  }
  const auto& forecast = lightest->forecast;
  const double p99_s =
      forecast.at(forecast.traffic(load.sum.load_to, load.mean_duration_s())).p99_answered_s;
  return {ms_per_s * p99_s, load.latencies.count() == 0
                                ? table::Cell()
                                : percent * (p99_s / load.latencies.quantile_s(share_to_keep) - 1)};
}

/// The highest load that the lightest one forecasts, in a test as long as the longest steady load.
table::Row limit_forecast_cells(const ServingRuns& runs, const LightestForecast* lightest) {
  if (lightest == nullptr) {
    return table::Row(4);
  }
  double longest_s = 0;
  for (const auto& load : runs.loads) {
    longest_s = std::max(longest_s, record::is_ramp(load.sum) ? 0 : load.mean_duration_s());
  }
  const auto& forecast = lightest->forecast;
  const auto from = record::load_text(lightest->from->sum);
  const auto highest =
      forecast.highest(forecast.traffic(lightest->from->sum.load_to, longest_s), runs.threshold_s);
  return highest ? table::Row{highest->load, highest->low, highest->high, from}
                 : table::Row{{}, {}, {}, from};
}

void add_forecast_note(const Forecast& forecast, table::Table& table) {
  if (const auto* refusal = std::get_if<forecast::Refusal>(&forecast.made)) {
    table::add_note(table,
                    fmt::format("{}: no forecast: {}", forecast.runs.label(), refusal->reason));
  }
}

table::Row load_cells(const ServingLoad& load, double threshold_s) {
  const auto& sum = load.sum;
  const auto quantile = [&](double probability) {
    return load.latencies.count() == 0 ? table::Cell()
                                       : ms_per_s * load.latencies.quantile_s(probability);
  };
  const auto requests = static_cast<double>(sum.requests);
  const bool keeps = load.share_within(threshold_s) >= share_to_keep;
  return {record::load_text(sum), sum.load_to, static_cast<double>(load.runs), requests,
          load.answered_per_s(), ratio_of(static_cast<double>(sum.texts), sum.duration_s),
          ratio_of(percent * static_cast<double>(record::failed_of(sum)), requests), quantile(0.5),
          quantile(0.9), quantile(0.99), quantile(0.999),
          sum.requests == 0 ? ""
          : keeps           ? "yes"
                            : "no",
          ratio_of(load.batch_inputs, load.batches), ratio_of(load.queue_sum, load.queue_seconds),
          // The service counts a hit a moment before its answer is counted here.
          ratio_of(percent * std::min(load.cache_hits, load.answered_beside_hits),
                   load.answered_beside_hits)};
}

table::Table loads_table(const std::vector<Forecast>& forecasts,
                         const std::vector<std::string>& by) {
  table::Table table{
      .name = "serving", .title = "A service under load", .columns = service_columns(by)};
  const std::vector<table::Column> rest{
      table::text_column("load", "load"),
      table::number_column("load_end", "up to", "", 1),
      table::number_column("runs", "runs", "", 0),
      table::number_column("requests", "requests", "", 0),
      table::number_column("answered_per_s", "answered", "1/s", 1),
      table::number_column("texts_per_s", "texts", "1/s", 1),
      table::number_column("failed_percent", "failed", "%", 2),
      table::number_column("p50_ms", "p50", "ms", 2),
      table::number_column("p90_ms", "p90", "ms", 2),
      table::number_column("p99_ms", "p99", "ms", 2),
      table::number_column("p999_ms", "p99.9", "ms", 2),
      table::text_column("keeps", "keeps"),
      table::number_column("batch_inputs", "batch", "inputs", 1),
      table::number_column("queue_inputs", "queue", "inputs", 1),
      table::number_column("cached_percent", "cached", "%", 1),
      table::number_column("forecast_p99_ms", "forecast p99", "ms", 2),
      table::number_column("forecast_error_percent", "error", "%", 1)};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  table.columns.back().always_sign = true;
  for (const auto& forecast : forecasts) {
    const auto& runs = forecast.runs;
    for (const auto& load : runs.loads) {
      table.rows.push_back(service_cells(runs));
      append(table.rows.back(), load_cells(load, runs.threshold_s));
      append(table.rows.back(), forecast_cells(load, forecast.lightest()));
    }
    add_forecast_note(forecast, table);
    for (const auto& mark : runs.marks) {
      table::add_note(table, mark);
    }
  }
  table.notes.emplace_back(
      "p50 ...: latency of the answered requests (status 200), at a rate from the moment at which "
      "the request was to start; failed: every other request; keeps: 99 % of all requests were "
      "answered within the threshold");
  table.notes.emplace_back(
      "batch, queue: means, by the service's own metrics; cached: of the answered requests; all "
      "three "
      "over the whole seconds of the load");
  table.notes.emplace_back(
      "forecast p99: simulated from the micro-batches and the median latency of the lightest load "
      "alone (column 'forecast from' of serving_limit); error: of the forecast against p99");
  auto lines = table::keys_of(service_columns(by));
  table.plot = table::Plot{.x = "answered_per_s", .y = {"p50_ms", "p99_ms"}, .lines_by = lines};
  return table;
}

table::Table limits_table(const std::vector<Forecast>& forecasts,
                          const std::vector<std::string>& by) {
  table::Table table{.name = "serving_limit",
                     .title = "The highest load that keeps the threshold",
                     .columns = service_columns(by)};
  const std::vector<table::Column> rest{
      table::number_column("threshold_s", "p99 below", "s", 3),
      table::text_column("kept_load", "highest kept"),
      table::number_column("kept_per_s", "answered there", "1/s", 1),
      table::text_column("broken_load", "first broken"),
      table::number_column("broken_per_s", "answered there", "1/s", 1),
      table::number_column("peak_memory_mib", "peak", "MiB", 0),
      table::number_column("forecast_load", "forecast", "", 1),
      table::number_column("forecast_low_load", "by chance from", "", 1),
      table::number_column("forecast_high_load", "to", "", 1),
      table::text_column("forecast_from", "forecast from")};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const auto& forecast : forecasts) {
    const auto& runs = forecast.runs;
    const auto [kept, broken] = breaking_load(runs);
    table.rows.push_back(service_cells(runs));
    append(
        table.rows.back(),
        {runs.threshold_s,
         kept == nullptr ? table::Cell() : table::Cell(record::load_text(kept->sum)),
         kept == nullptr ? table::Cell() : table::Cell(kept->answered_per_s()),
         broken == nullptr ? table::Cell() : table::Cell(record::load_text(broken->sum)),
         broken == nullptr ? table::Cell() : table::Cell(broken->answered_per_s()),
         runs.peak_memory_bytes > 0 ? table::Cell(runs.peak_memory_bytes / mib) : table::Cell()});
    append(table.rows.back(), limit_forecast_cells(runs, forecast.lightest()));
  }
  table.notes.emplace_back(
      "of steady loads; the limit lies between the two; no first broken load: it lies above all "
      "that were tried; peak: memory of the service's first process");
  table.notes.emplace_back(
      "forecast: the load at which p99 breaks, simulated from the measurements of the load "
      "'forecast "
      "from' alone");
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  const auto study = sort_serving_runs(records, options.by);
  const auto forecasts = forecasts_of(study);
  auto limits = limits_table(forecasts, options.by);
  if (limits.rows.empty()) {
    limits.notes.clear();
  }
  return not_empty(
      {loads_table(forecasts, options.by), std::move(limits), excluded_table(study.excluded)});
}

}  // namespace

TableSpec serving() {
  return {.summary = "a service under load: p50 to p99.9, throughput, the highest load it bears",
          .make = make,
          .rows = record::Rows::without_steps,
          .answer = {2}};
}

}  // namespace epochcast::analysis::tables
