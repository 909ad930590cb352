// How long requests to a recorded service take at other loads, and the load at which it breaks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/predict/predict.hpp"
#include "analysis/predict/serving_forecast.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::analysis {
namespace {

using forecast::Arrivals;

table::Table breaking_table() {
  return {.name = "serving_limit",
          .title = "Highest load that keeps the threshold (forecast)",
          .columns = {table::text_column("record", "record"),
                      table::number_column("threshold_s", "p99 below", "s", 3),
                      table::number_column("highest_load", "highest load", "", 1),
                      table::text_column("load_unit", "of"),
                      table::number_column("low_load", "by chance from", "", 1),
                      table::number_column("high_load", "to", "", 1),
                      table::number_column("capacity_per_s", "full batches", "requests/s", 1)}};
}

table::Table latency_table() {
  return {.name = "serving_forecast",
          .title = "Latency by load (forecast)",
          .columns = {
              table::text_column("record", "record"), table::number_column("load", "load", "", 1),
              table::text_column("load_unit", "of"), table::number_column("p50_s", "p50", "s", 4),
              table::number_column("p99_s", "p99", "s", 4),
              table::number_column("answered_per_s", "answered", "requests/s", 1),
              table::number_column("refused_percent", "refused", "%", 1),
              table::number_column("batch_inputs", "micro-batch", "inputs", 1),
              table::number_column("busy_percent", "network busy", "%", 0)}};
}

std::string unit_of(const forecast::Traffic& traffic) {
  return traffic.arrivals == Arrivals::closed ? "users" : "requests/s";
}

double load_from(const std::string& text) {
  try {
    double load = 0;
    from_text(text, load);
    check_allowed(text, ">0");
    return load;
  } catch (const Error& error) {
    throw Error(std::string("--load: ") + error.what());
  }
}

/// --load, or loads around the highest one; of users, whole numbers. None if that is infinite.
std::vector<double> loads_of(const cli::Arguments& arguments, Arrivals arrivals, double highest) {
  std::vector<double> loads;
  for (const auto& text : arguments.all("load")) {
    loads.push_back(load_from(text));
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

void add_latencies(const std::string& path, const ServingForecast& forecast,
                   forecast::Traffic traffic, const std::vector<double>& loads,
                   table::Table& table) {
  for (const double load : loads) {
    traffic.load = load;
    const auto served = forecast.at(traffic);
    const auto all = static_cast<double>(served.answered + served.refused);
    table.rows.push_back(
        {path, load, unit_of(traffic), served.p50_s, served.p99_s, served.per_second,
         all > 0 ? table::Cell(100 * static_cast<double>(served.refused) / all) : table::Cell(),
         served.mean_batch, 100 * served.busy_share});
  }
}

/// The traffic of the record's last stage, with --arrivals and --time.
forecast::Traffic traffic_asked(const cli::Arguments& arguments, const ServingForecast& forecast,
                                const record::ServingStage& last) {
  auto traffic = forecast.traffic(last.load_to, last.duration_s);
  if (arguments.has("arrivals")) {
    std::string arrivals;
    cli::read_option(arguments, "arrivals", arrivals, "closed|constant|poisson");
    traffic.arrivals = arrivals == "closed"     ? Arrivals::closed
                       : arrivals == "constant" ? Arrivals::constant
                                                : Arrivals::poisson;
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

void add_forecast(const LoadedRecord& loaded, const SeenService& seen,
                  const ServingForecast& forecast, const cli::Arguments& arguments,
                  table::Table& limits, table::Table& latencies) {
  const auto& [path, record] = loaded;
  const auto traffic = traffic_asked(arguments, forecast, record.serving_stages.back());
  const double threshold_s = threshold_of(arguments, seen);
  const auto highest = forecast.highest(traffic, threshold_s);
  const double capacity = forecast::capacity_per_s(forecast.service(), traffic.kinds);
  if (highest) {
    limits.rows.push_back({path, threshold_s, highest->load, unit_of(traffic), highest->low,
                           highest->high, capacity});
  } else {
    limits.notes.push_back(
        fmt::format("{}: there is no load that keeps and none that breaks the threshold", path));
  }
  add_latencies(path, forecast, traffic,
                loads_of(arguments, traffic.arrivals, highest ? highest->load : capacity),
                latencies);
  for (const auto& reason : forecast.reasons()) {
    limits.notes.push_back(path + ": " + reason);
  }
}

/// Whether there is a forecast.
bool add_answer(const LoadedRecord& loaded, const cli::Arguments& arguments, table::Table& limits,
                table::Table& latencies) {
  const auto refuse = [&](const forecast::Refusal& refusal) {
    limits.notes.push_back(loaded.path + ": refused: " + refusal.reason);
    return false;
  };
  const auto answer = seen_service(loaded.record);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return refuse(*refusal);
  }
  const auto& seen = std::get<SeenService>(answer);
  const auto made = ServingForecast::from(seen);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&made)) {
    return refuse(*refusal);
  }
  add_forecast(loaded, seen, std::get<ServingForecast>(made), arguments, limits, latencies);
  return true;
}

}  // namespace

Answers predict_serving(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  auto limits = breaking_table();
  auto latencies = latency_table();
  std::size_t forecasts = 0;
  for (const auto& loaded : records) {
    forecasts += add_answer(loaded, arguments, limits, latencies) ? 1 : 0;
  }
  limits.notes.emplace_back(
      "simulated: arrivals, queue, micro-batches and their deadline; each load lasts as long as "
      "the last stage of the record, or --time");
  return {{std::move(limits), std::move(latencies)}, forecasts};
}

}  // namespace epochcast::analysis
