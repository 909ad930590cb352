#include <fmt/format.h>

#include <algorithm>

#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/sweep_forecast.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {
namespace {

/// What an allocation costs.
struct CostRow {
  std::string allocation;
  forecast::FittedStepLaw law;

  double part_s(const forecast::StepTerm& term) const { return law.part_s(term, {}); }
};

/// Each allocation once, from the first pair that it is in.
void add_cost(std::vector<CostRow>& rows, const std::string& allocation,
              const forecast::FittedStepLaw& law) {
  if (std::ranges::find(rows, allocation, &CostRow::allocation) == rows.end()) {
    rows.push_back({allocation, law});
  }
}

table::Table cost_table(const std::vector<CostRow>& rows) {
  namespace terms = forecast::terms;
  const table::Columns<CostRow> columns{
      {"allocation", "allocation", &CostRow::allocation},
      {"fixed_us", "fixed", "us", 1, [](auto& row) { return 1e6 * row.part_s(terms::fixed); }},
      {"layer_us", "a layer", "us", 1, [](auto& row) { return 1e6 * row.part_s(terms::layers); }},
      {"gflops", "arithmetic", "GFLOP/s", 2,
       [](auto& row) { return table::ratio_cell(1e-9, row.part_s(terms::arithmetic)); }}};
  return table::make_table("step_cost", "What a step costs", columns, rows);
}

struct CrossingRow {
  std::string first;
  std::string second;
  std::size_t networks;
  std::optional<SweepForecast> found = {};  ///< Nothing: refused.

  const char* overtakes() const {
    if (!found) {
      return "refused";
    }
    if (!found->crossing) {
      return "not in this range";
    }
    return found->crossing->size ? "yes" : "from the smallest on";
  }
};

table::Table crossing_table(const std::vector<CrossingRow>& rows, std::vector<std::string> notes) {
  const table::Columns<SweepForecast> sizes{
      {"parameters", "parameters", "", 0,
       [](auto& found) { return found.crossing ? found.crossing->size : std::nullopt; }},
      {"low_80_parameters", "80% from", "", 0, [](auto& found) { return found.interval_80.low; }},
      {"high_80_parameters", "to", "", 0, [](auto& found) { return found.interval_80.high; }}};
  table::Columns<CrossingRow> columns{{"first", "first", &CrossingRow::first},
                                      {"second", "second", &CrossingRow::second},
                                      {"networks", "networks", "", 0, &CrossingRow::networks},
                                      {"overtakes", "overtakes", &CrossingRow::overtakes}};
  return table::make_table("crossover", "Forecast network size from which the second is faster",
                           columns.add(sizes, &CrossingRow::found), rows, std::move(notes));
}

/// The time to wake a thread on the device of --from, if it is given.
std::optional<double> thread_wake_of(const cli::Arguments& arguments) {
  if (!arguments.has("from")) {
    return std::nullopt;
  }
  const auto name = arguments.get("from");
  const auto wake = device_given(name).figures.thread_wake_us;
  if (!wake.known()) {
    throw Error(
        fmt::format("--from {}: has no thread_wake_us; epochcast-train measure-device "
                    "--threads N writes it, for 2 threads or more",
                    name));
  }
  if (!wake.checked) {
    cli::report(fmt::format("--from {}: thread_wake_us was measured on a busy machine", name));
  }
  return 1e-6 * wake.value;
}

std::string threads_note(const std::string& first, const std::string& second,
                         const forecast::ThreadedCost& threads) {
  return fmt::format(
      "{} to {}: arithmetic becomes {:.2f} times as fast, and waking threads costs {:.1f} us a "
      "layer (measured, --from); by the runs, operators too small to gain from it {}",
      first, second, threads.law.speed_up, 1e6 * threads.wakes_s,
      threads.law.wakes_always ? "wake threads too"
                               : "run on fewer threads, so both take the same time");
}

}  // namespace

Answers predict_crossover(const std::vector<LoadedRecord>& records,
                          const cli::Arguments& arguments) {
  const auto thread_wake_s = thread_wake_of(arguments);
  const auto sweep = sweep_of(records, {});
  std::vector<CrossingRow> rows;
  std::vector<CostRow> costs;
  std::vector<std::string> notes;
  std::size_t forecasts = 0;
  for (const auto& pair : comparable_pairs(sweep)) {
    const auto networks = networks_on_both(sweep, pair);
    const auto& first = sweep.columns[pair.first].label;
    const auto& second = sweep.columns[pair.second].label;
    auto& row = rows.emplace_back(CrossingRow{first, second, networks.size()});
    const auto answer = sweep_forecast(sweep, pair, networks, thread_wake_s);
    if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
      notes.push_back(fmt::format("{}, {}: refused: {}", first, second, refusal->reason));
      continue;
    }
    ++forecasts;
    const auto& found = row.found.emplace(std::get<SweepForecast>(answer));
    if (found.threads) {
      notes.push_back(threads_note(first, second, *found.threads));
    } else if (thread_wake_s) {
      notes.push_back(
          fmt::format("{}, {}: --from changes nothing: they are not threads of one process on one "
                      "model of CPU, or the sweep is not over a number of layers",
                      first, second));
    }
    add_cost(costs, first, found.first.law);
    add_cost(costs, second, found.second.law);
  }
  if (!sweep.chosen.empty()) {
    notes.push_back("restricted to: " + join(sweep.chosen, "; "));
  }
  if (rows.empty()) {
    notes.emplace_back("all records have the same allocation: nothing to compare");
  }
  notes.emplace_back(
      "a step costs launches, proportional to the layers, and FLOPs at a constant rate; a missing "
      "end of the "
      "interval is outside the networks that were run");
  return {not_empty({crossing_table(rows, std::move(notes)), cost_table(costs),
                     excluded_table(sweep.excluded)}),
          forecasts};
}

}  // namespace epochcast::analysis
