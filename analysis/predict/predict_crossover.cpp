#include <fmt/format.h>

#include <algorithm>

#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/sweep_forecast.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

table::Table crossing_table() {
  return {.name = "crossover",
          .title = "Forecast network size from which the second is faster",
          .columns = {table::text_column("first", "first"), table::text_column("second", "second"),
                      table::number_column("networks", "networks", "", 0),
                      table::text_column("overtakes", "overtakes"),
                      table::number_column("parameters", "parameters", "", 0),
                      table::number_column("low_80_parameters", "80% from", "", 0),
                      table::number_column("high_80_parameters", "to", "", 0)}};
}

table::Table cost_table() {
  return {.name = "step_cost",
          .title = "What a step costs",
          .columns = {table::text_column("allocation", "allocation"),
                      table::number_column("fixed_us", "fixed", "us", 1),
                      table::number_column("layer_us", "a layer", "us", 1),
                      table::number_column("gflops", "arithmetic", "GFLOP/s", 2)}};
}

/// Each allocation once, from the first pair that it is in.
void add_cost(table::Table& table, const std::string& label, const forecast::FittedStepLaw& law) {
  const bool known = std::ranges::any_of(
      table.rows, [&](const table::Row& row) { return row.front() == table::Cell(label); });
  if (!known) {
    const forecast::StepSetting one;  // layer, FLOP
    const double flop_s = law.part_s(forecast::terms::arithmetic, one);
    table.rows.push_back({label, law.part_s(forecast::terms::fixed, one) * 1e6,
                          law.part_s(forecast::terms::layers, one) * 1e6,
                          flop_s > 0 ? table::Cell(1e-9 / flop_s) : table::Cell()});
  }
}

const char* verdict(const std::optional<forecast::Crossing>& crossing) {
  if (!crossing) {
    return "not in this range";
  }
  return crossing->size ? "yes" : "from the smallest on";
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
  auto crossings = crossing_table();
  auto costs = cost_table();
  std::size_t forecasts = 0;
  for (const auto& pair : comparable_pairs(sweep)) {
    const auto networks = networks_on_both(sweep, pair);
    const auto& first = sweep.columns[pair.first].label;
    const auto& second = sweep.columns[pair.second].label;
    const auto answer = sweep_forecast(sweep, pair, networks, thread_wake_s);
    table::Row row{first, second, static_cast<double>(networks.size())};
    if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
      crossings.notes.push_back(fmt::format("{}, {}: refused: {}", first, second, refusal->reason));
      row.insert(row.end(), {"refused", table::Cell(), table::Cell(), table::Cell()});
    } else {
      ++forecasts;
      const auto& found = std::get<SweepForecast>(answer);
      row.insert(row.end(),
                 {verdict(found.crossing),
                  found.crossing ? table::cell_of(found.crossing->size) : table::Cell(),
                  table::cell_of(found.interval_80.low), table::cell_of(found.interval_80.high)});
      if (found.threads) {
        crossings.notes.push_back(threads_note(first, second, *found.threads));
      } else if (thread_wake_s) {
        crossings.notes.push_back(fmt::format(
            "{}, {}: --from changes nothing: they are not threads of one process on one "
            "model of CPU, or the sweep is not over a number of layers",
            first, second));
      }
      add_cost(costs, first, found.first.law);
      add_cost(costs, second, found.second.law);
    }
    crossings.rows.push_back(std::move(row));
  }
  if (!sweep.chosen.empty()) {
    crossings.notes.push_back("restricted to: " + join(sweep.chosen, "; "));
  }
  if (crossings.rows.empty()) {
    crossings.notes.emplace_back("all records have the same allocation: nothing to compare");
  }
  crossings.notes.emplace_back(
      "a step costs launches, proportional to the layers, and FLOPs at a constant rate; a missing "
      "end of the "
      "interval is outside the networks that were run");
  return {not_empty({crossings, costs, excluded_table(sweep.excluded)}), forecasts};
}

}  // namespace epochcast::analysis
