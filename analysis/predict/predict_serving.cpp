// How long requests to a recorded service take at other loads, and the load at which it breaks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/predict/predict.hpp"
#include "analysis/predict/serving_forecast.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {
namespace {

using forecast::Arrivals;

const char* unit_of(const forecast::Traffic& traffic) {
  return traffic.arrivals == Arrivals::closed ? "users" : "requests/s";
}

/// A load, and what becomes of it.
struct LatencyRow {
  std::string path;
  forecast::Traffic traffic;
  forecast::Served served;
};

table::Table latency_table(const std::vector<LatencyRow>& rows) {
  using forecast::Served;
  const table::Columns<Served> served{
      {"p50_s", "p50", "s", 4, &Served::p50_s},
      {"p99_s", "p99", "s", 4, &Served::p99_s},
      {"answered_per_s", "answered", "requests/s", 1, &Served::per_second},
      {"refused_percent", "refused", "%", 1,
       [](const Served& of) {
         return table::percent_cell(static_cast<double>(of.refused),
                                    static_cast<double>(of.answered + of.refused));
       }},
      {"batch_inputs", "micro-batch", "inputs", 1, &Served::mean_batch},
      {"busy_percent", "network busy", "%", 0,
       [](const Served& of) { return 100 * of.busy_share; }}};
  table::Columns<LatencyRow> columns{
      {"record", "record", &LatencyRow::path},
      {"load", "load", "", 1, [](auto& row) { return row.traffic.load; }},
      {"load_unit", "of", [](auto& row) { return unit_of(row.traffic); }}};
  return table::make_table("serving_forecast", "Latency by load (forecast)",
                           columns.add(served, &LatencyRow::served), rows);
}

struct LimitRow {
  std::string path;
  double threshold_s;
  forecast::BreakingLoad highest;
  const char* load_unit;
  double capacity_per_s;
};

table::Table limit_table(const std::vector<LimitRow>& rows, std::vector<std::string> notes) {
  const table::Columns<LimitRow> columns{
      {"record", "record", &LimitRow::path},
      {"threshold_s", "p99 below", "s", 3, &LimitRow::threshold_s},
      {"highest_load", "highest load", "", 1, [](auto& row) { return row.highest.load; }},
      {"load_unit", "of", &LimitRow::load_unit},
      {"low_load", "by chance from", "", 1, [](auto& row) { return row.highest.low; }},
      {"high_load", "to", "", 1, [](auto& row) { return row.highest.high; }},
      {"capacity_per_s", "full batches", "requests/s", 1, &LimitRow::capacity_per_s}};
  return table::make_table("serving_limit", "Highest load that keeps the threshold (forecast)",
                           columns, rows, std::move(notes));
}

/// --load, or loads around the highest one; of users, whole numbers. None if that is infinite.
std::vector<double> loads_of(const cli::Arguments& arguments, Arrivals arrivals, double highest) {
  std::vector<double> loads;
  try {
    for (const auto& text : arguments.all("load")) {
      from_text(text, loads.emplace_back());
      check_allowed(text, ">0");
    }
  } catch (const Error& error) {
    throw Error(std::string("--load: ") + error.what());
  }
  if (!loads.empty() || !std::isfinite(highest)) {
    return loads;
  }
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1}) {
    const double load = share * highest;
    loads.push_back(arrivals == Arrivals::closed ? std::max(1.0, std::round(load)) : load);
  }
  return loads;
}

/// The traffic of the record's last stage, with --arrivals and --time.
forecast::Traffic traffic_asked(const cli::Arguments& arguments, const ServingForecast& forecast,
                                const record::ServingStage& last) {
  auto traffic = forecast.traffic(last.load_to, last.duration_s);
  if (arguments.has("arrivals")) {
    cli::read_option(arguments, "arrivals", traffic.arrivals, "");
  }
  if (arguments.has("time")) {
    Seconds time;
    cli::read_option(arguments, "time", time, ">0");
    traffic.time_s = time.value;
  }
  return traffic;
}

/// --threshold, else that of the record.
double threshold_of(const cli::Arguments& arguments, const SeenService& seen) {
  Seconds threshold = seen.load.threshold;
  if (arguments.has("threshold")) {
    cli::read_option(arguments, "threshold", threshold, ">0");
  }
  return threshold.value;
}

/// The rows of both tables so far, and the notes.
struct ServingAnswers {
  std::vector<LimitRow> limits = {};
  std::vector<LatencyRow> latencies = {};
  std::vector<std::string> notes = {};
};

void add_forecast(const LoadedRecord& loaded, const SeenService& seen,
                  const ServingForecast& forecast, const cli::Arguments& arguments,
                  ServingAnswers& made) {
  const auto& [path, record] = loaded;
  auto traffic = traffic_asked(arguments, forecast, record.serving_stages.back());
  const double threshold_s = threshold_of(arguments, seen);
  const auto highest = forecast.highest(traffic, threshold_s);
  const double capacity = forecast::capacity_per_s(forecast.service(), traffic.kinds);
  if (highest) {
    made.limits.push_back({path, threshold_s, *highest, unit_of(traffic), capacity});
  } else {
    made.notes.push_back(
        fmt::format("{}: there is no load that keeps and none that breaks the threshold", path));
  }
  for (const double load :
       loads_of(arguments, traffic.arrivals, highest ? highest->load : capacity)) {
    traffic.load = load;
    made.latencies.push_back({path, traffic, forecast.at(traffic)});
  }
  for (const auto& reason : forecast.reasons()) {
    made.notes.push_back(path + ": " + reason);
  }
}

/// Whether there is a forecast.
bool add_answer(const LoadedRecord& loaded, const cli::Arguments& arguments, ServingAnswers& made) {
  const auto refuse = [&](const forecast::Refusal& refusal) {
    made.notes.push_back(loaded.path + ": refused: " + refusal.reason);
    return false;
  };
  const auto answer = seen_service(loaded.record);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return refuse(*refusal);
  }
  const auto& seen = std::get<SeenService>(answer);
  const auto forecast = ServingForecast::from(seen);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&forecast)) {
    return refuse(*refusal);
  }
  add_forecast(loaded, seen, std::get<ServingForecast>(forecast), arguments, made);
  return true;
}

}  // namespace

Answers predict_serving(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  ServingAnswers made;
  std::size_t forecasts = 0;
  for (const auto& loaded : records) {
    forecasts += add_answer(loaded, arguments, made) ? 1 : 0;
  }
  made.notes.emplace_back(
      "simulated: arrivals, queue, micro-batches and their deadline; each load lasts as long as "
      "the last stage of the record, or --time");
  return {{limit_table(made.limits, std::move(made.notes)), latency_table(made.latencies)},
          forecasts};
}

}  // namespace epochcast::analysis
