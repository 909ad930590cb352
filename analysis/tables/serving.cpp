// A service under load: latencies and throughput at each load, and the highest load at which p99
// stays below its threshold.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/groups/serving_runs.hpp"
#include "analysis/groups/undisturbed.hpp"
#include "analysis/predict/serving_forecast.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::analysis::tables {
namespace serving_table {

constexpr double ms_per_s = 1000;
constexpr double mib = 1024 * 1024;
constexpr double percent = 100;

/// A service, and what its lightest load forecasts of the others.
struct Forecast {
  const ServingRuns& runs;
  std::variant<LightestForecast, forecast::Refusal> made;

  const LightestForecast* lightest() const { return std::get_if<LightestForecast>(&made); }
};

std::vector<Forecast> forecasts_of(const ServingStudy& study) {
  return mapped(study.runs, [](const auto& runs) {
    return Forecast{runs, lightest_forecast(runs)};
  });
}

void add_forecast_note(const Forecast& forecast, table::Table& table) {
  if (const auto* refusal = std::get_if<forecast::Refusal>(&forecast.made)) {
    table::add_note(table,
                    fmt::format("{}: no forecast: {}", forecast.runs.label(), refusal->reason));
  }
}

table::Columns<ServingRuns> service_columns(const std::vector<std::string>& by) {
  table::Columns<ServingRuns> columns{{"allocation", "allocation", &ServingRuns::allocation}};
  return columns.add_each(by, &ServingRuns::by)
      .add({{"device", "device", &ServingRuns::device},
            {"service", "service", &ServingRuns::service},
            {"source", "source", &ServingRuns::source},
            {"arrivals", "arrivals", &ServingRuns::arrivals}});
}

/// A load of a service, and its p99 as the lightest load forecasts it.
struct LoadRow {
  const ServingRuns* runs;
  const ServingLoad* load;
  std::optional<double> forecast_p99_s;

  /// Whether the service kept its threshold; "" where nothing was requested.
  std::string keeps() const {
    return load->sum.requests == 0                                  ? ""
           : load->share_within(runs->threshold_s) >= share_to_keep ? "yes"
                                                                    : "no";
  }
  std::optional<double> error_percent() const {
    return !forecast_p99_s || load->latencies.count() == 0
               ? std::nullopt
               : std::optional(percent *
                               (*forecast_p99_s / load->latencies.quantile_s(share_to_keep) - 1));
  }
};

/// Empty for ramps, and for loads that are not above that from which the forecast is.
std::optional<double> forecast_p99_s(const ServingLoad& load, const LightestForecast* lightest) {
  if (lightest == nullptr || record::is_ramp(load.sum) || load.sum.requests == 0 ||
      load.sum.load_to <= lightest->from->sum.load_to) {
    return std::nullopt;
  }
  const auto& forecast = lightest->forecast;
  return forecast.at(forecast.traffic(load.sum.load_to, load.mean_duration_s())).p99_answered_s;
}

table::Columns<ServingLoad> load_columns() {
  const auto quantile = [](double probability) {
    return [probability](const ServingLoad& load) {
      return load.latencies.count() == 0
                 ? table::Cell()
                 : table::Cell(ms_per_s * load.latencies.quantile_s(probability));
    };
  };
  return {{"load", "load", [](const auto& load) { return record::load_text(load.sum); }},
          {"load_end", "up to", "", 1, [](const auto& load) { return load.sum.load_to; }},
          {"runs", "runs", "", 0, &ServingLoad::runs},
          {"requests", "requests", "", 0, [](const auto& load) { return load.sum.requests; }},
          {"answered_per_s", "answered", "1/s", 1, &ServingLoad::answered_per_s},
          {"texts_per_s", "texts", "1/s", 1,
           [](const auto& load) {
             return table::ratio_cell(static_cast<double>(load.sum.texts), load.sum.duration_s);
           }},
          {"failed_percent", "failed", "%", 2,
           [](const auto& load) {
             return table::percent_cell(static_cast<double>(record::failed_of(load.sum)),
                                        static_cast<double>(load.sum.requests));
           }},
          {"p50_ms", "p50", "ms", 2, quantile(0.5)},
          {"p90_ms", "p90", "ms", 2, quantile(0.9)},
          {"p99_ms", "p99", "ms", 2, quantile(0.99)},
          {"p999_ms", "p99.9", "ms", 2, quantile(0.999)}};
}

/// By the service's own metrics.
table::Columns<ServingLoad> batch_columns() {
  return {{"batch_inputs", "batch", "inputs", 1,
           [](const auto& load) { return table::ratio_cell(load.batch_inputs, load.batches); }},
          {"queue_inputs", "queue", "inputs", 1,
           [](const auto& load) { return table::ratio_cell(load.queue_sum, load.queue_seconds); }},
          {"cached_percent", "cached", "%", 1, [](const auto& load) {
             // The service counts a hit a moment before its answer is counted here.
             return table::percent_cell(std::min(load.cache_hits, load.answered_beside_hits),
                                        load.answered_beside_hits);
           }}};
}

table::Table loads_table(const std::vector<Forecast>& forecasts,
                         const std::vector<std::string>& by) {
  std::vector<LoadRow> rows;
  for (const auto& forecast : forecasts) {
    for (const auto& load : forecast.runs.loads) {
      rows.push_back({&forecast.runs, &load, forecast_p99_s(load, forecast.lightest())});
    }
  }
  table::Columns<LoadRow> columns;
  columns.add(service_columns(by), &LoadRow::runs)
      .add(load_columns(), &LoadRow::load)
      .add({"keeps", "keeps", &LoadRow::keeps})
      .add(batch_columns(), &LoadRow::load)
      .add(
          {{"forecast_p99_ms", "forecast p99", "ms", 2,
            [](const auto& row) {
              return row.forecast_p99_s ? table::Cell(ms_per_s * *row.forecast_p99_s)
                                        : table::Cell();
            }},
           {"forecast_error_percent", "error", "%", 1, &LoadRow::error_percent, table::with_sign}});
  auto table = table::make_table("serving", "A service under load", columns, rows);
  for (const auto& forecast : forecasts) {
    add_forecast_note(forecast, table);
    for (const auto& mark : forecast.runs.marks) {
      table::add_note(table, mark);
    }
  }
  table.notes.insert(
      table.notes.end(),
      {"p50 ...: latency of the answered requests (status 200), at a rate from the moment at which "
       "the request was to start; failed: every other request; keeps: 99 % of all requests were "
       "answered within the threshold",
       "batch, queue: means, by the service's own metrics; cached: of the answered requests; all "
       "three over the whole seconds of the load",
       "forecast p99: simulated from the micro-batches and the median latency of the lightest load "
       "alone (column 'forecast from' of serving_limit); error: of the forecast against p99"});
  return table;
}

/// The loads between which a service breaks its threshold, as measured and as forecast.
struct LimitRow {
  const ServingRuns* runs;
  BreakingLoad breaking;
  std::optional<forecast::BreakingLoad> highest = {};
  std::optional<std::string> forecast_from = {};
};

/// The highest load that the lightest one forecasts, in a test as long as the longest steady load.
LimitRow limit_row(const Forecast& made) {
  const auto& runs = made.runs;
  LimitRow row{&runs, breaking_load(runs)};
  if (const auto* lightest = made.lightest()) {
    double longest_s = 0;
    for (const auto& load : runs.loads) {
      longest_s = std::max(longest_s, record::is_ramp(load.sum) ? 0 : load.mean_duration_s());
    }
    const auto& forecast = lightest->forecast;
    row.highest = forecast.highest(forecast.traffic(lightest->from->sum.load_to, longest_s),
                                   runs.threshold_s);
    row.forecast_from = record::load_text(lightest->from->sum);
  }
  return row;
}

table::Columns<ServingLoad> bound_columns(const std::string& key, const std::string& heading) {
  return {{key + "_load", heading, [](const auto& load) { return record::load_text(load.sum); }},
          {key + "_per_s", "answered there", "1/s", 1, &ServingLoad::answered_per_s}};
}

table::Table limits_table(const std::vector<Forecast>& forecasts,
                          const std::vector<std::string>& by) {
  const auto rows = mapped(forecasts, limit_row);
  const table::Columns<forecast::BreakingLoad> highest{
      {"forecast_load", "forecast", "", 1, &forecast::BreakingLoad::load},
      {"forecast_low_load", "by chance from", "", 1, &forecast::BreakingLoad::low},
      {"forecast_high_load", "to", "", 1, &forecast::BreakingLoad::high}};
  table::Columns<LimitRow> columns;
  columns.add(service_columns(by), &LimitRow::runs)
      .add({"threshold_s", "p99 below", "s", 3,
            [](const auto& row) { return row.runs->threshold_s; }})
      .add(bound_columns("kept", "highest kept"),
           [](const auto& row) { return row.breaking.highest_kept; })
      .add(bound_columns("broken", "first broken"),
           [](const auto& row) { return row.breaking.first_broken; })
      .add(
          {"peak_memory_mib", "peak", "MiB", 0,
           [](const auto& row) { return table::positive_cell(row.runs->peak_memory_bytes / mib); }})
      .add(highest, &LimitRow::highest)
      .add({"forecast_from", "forecast from", &LimitRow::forecast_from});
  auto table = table::make_table("serving_limit", "The highest load that keeps the threshold",
                                 columns, rows);
  if (!rows.empty()) {
    table.notes = {
        "of steady loads; the limit lies between the two; no first broken load: it lies above all "
        "that were tried; peak: memory of the service's first process",
        "forecast: the load at which p99 breaks, simulated from the measurements of the load "
        "'forecast from' alone"};
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  const auto study = sort_serving_runs(records, options.by);
  const auto forecasts = forecasts_of(study);
  return not_empty({loads_table(forecasts, options.by), limits_table(forecasts, options.by),
                    excluded_table(study.excluded)});
}

}  // namespace serving_table

TableSpec serving() {
  return {.summary = "a service under load: p50 to p99.9, throughput, the highest load it bears",
          .make = serving_table::make,
          .rows = record::Rows::without_steps,
          .answer = {2}};
}

}  // namespace epochcast::analysis::tables
