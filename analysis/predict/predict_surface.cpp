#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/predict/one_workload.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_cells.hpp"
#include "analysis/predict/surface_run.hpp"
#include "analysis/predict/surface_settings.hpp"
#include "analysis/predict/time_on_device.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/scaling/step_surface.hpp"

namespace epochcast::analysis {
namespace {

using forecast::StepSetting;

std::vector<table::Column> setting_columns(bool on_gpus) {
  return {table::text_column("source", "source"),
          table::number_column("batch", "batch", "", 0),
          table::number_column("input_length", "length", "", 0),
          table::number_column("workers", on_gpus ? "GPUs" : "processes", "", 0),
          table::number_column("threads", "CPUs each", "", 0),
          table::number_column("nodes", "nodes", "", 0)};
}

/// The cells of a setting; what is not known of it is empty.
table::Row setting_cells(table::Cell first, const StepSetting& at, bool on_gpus) {
  const auto length = at.input_length == 1 ? std::nullopt : std::optional(at.input_length);
  const auto threads = on_gpus ? std::nullopt : std::optional(at.threads);
  return {std::move(first),        at.batch, table::cell_of(length), at.workers,
          table::cell_of(threads), at.nodes};
}

/// Of each measured setting the median step, and what the law gives there.
void add_measured(table::Table& table, const SurfaceSettings& recorded,
                  const forecast::StepSurface* surface) {
  auto rest = recorded.runs;
  std::ranges::stable_sort(rest, {}, [](const SettingRun& run) {
    const auto& at = run.setting;
    return std::tuple(at.nodes, at.workers, at.threads, at.input_length, at.batch);
  });
  while (!rest.empty()) {
    const auto setting = rest.front().setting;
    std::vector<double> steps_s;
    for (const auto& run : rest) {
      if (run.setting == setting) {
        steps_s.push_back(run.step_s);
      }
    }
    std::erase_if(rest, [&](const SettingRun& run) { return run.setting == setting; });
    auto row =
        setting_cells(fmt::format("{} run{}", steps_s.size(), steps_s.size() == 1 ? "" : "s"),
                      setting, recorded.on_gpus);
    row.emplace_back(1e3 * median_of(std::move(steps_s)));
    row.push_back(surface ? table::Cell(1e3 * surface->law().step_s(setting)) : table::Cell());
    table.rows.push_back(with_intervals(std::move(row), std::nullopt));
  }
}

table::Table steps_table(const SurfaceSettings& recorded) {
  auto columns = setting_columns(recorded.on_gpus);
  columns.push_back(table::number_column("step_ms", "a step", "ms", 3));
  columns.push_back(table::number_column("law_ms", "the law alone", "ms", 3));
  return {.name = "surface",
          .title = "Time of a step at a setting that was not run",
          .columns = with_intervals(std::move(columns)),
          .notes = recorded.left_out};
}

/// Where the CPUs of a machine become of another kind, between the runs and `asked`.
std::vector<std::string> borders_between(const SurfaceSettings& recorded,
                                         const StepSetting& asked) {
  const auto cpus_per_node = [](const StepSetting& at) {
    return at.threads * at.workers / at.nodes;
  };
  double largest = 0;
  for (const auto& run : recorded.runs) {
    largest = std::max(largest, cpus_per_node(run.setting));
  }
  return recorded.on_gpus
             ? std::vector<std::string>{}
             : forecast::beyond_borders(borders_of(recorded.runs.front().loaded->record), largest,
                                        cpus_per_node(asked));
}

void add_step(table::Table& table, const SurfaceSettings& recorded, const StepSetting& asked,
              const forecast::SurfaceForecast& found) {
  auto row = setting_cells("forecast", asked, recorded.on_gpus);
  row.emplace_back(1e3 * found.step_s.value);
  row.emplace_back(1e3 * found.law.step_s(asked));
  table.rows.push_back(with_intervals(std::move(row), found.step_s * 1e3));
  table.notes.insert(table.notes.end(), found.reasons.begin(), found.reasons.end());
  const auto borders = borders_between(recorded, asked);
  table.notes.insert(table.notes.end(), borders.begin(), borders.end());
  table.notes.emplace_back(
      "forecast: the law, corrected by what it misses at the settings nearby; the interval holds "
      "the errors of the settings when each is forecast from the others, and the disagreement of "
      "the laws");
  if (asked.input_length > 1) {
    table.notes.emplace_back(
        "length: the most tokens of a sample; texts that are shorter take less "
        "time, as in the runs");
  }
}

table::Table terms_table(const StepSetting& asked, const forecast::SurfaceForecast& found) {
  table::Table table{.name = "step_terms",
                     .title = "Terms of that step, by the law",
                     .columns = {table::text_column("term", "term"),
                                 table::number_column("time_ms", "time", "ms", 3),
                                 table::number_column("share_percent", "share", "%", 1)}};
  for (const auto& term : found.law.terms) {
    const double term_s = found.law.part_s(term, asked);
    table.rows.push_back(
        {std::string(term.name), 1e3 * term_s, 100 * term_s / found.law.step_s(asked)});
  }
  return table;
}

/// The epochs or steps asked for, else the most epochs of any run.
forecast::RunLength common_length(const SurfaceSettings& recorded,
                                  const cli::Arguments& arguments) {
  forecast::RunLength most;
  for (const auto& run : recorded.runs) {
    const auto length = length_wanted(run.loaded->record, arguments);
    most = length.epochs > most.epochs || length.steps > most.steps ? length : most;
  }
  return most;
}

table::Table run_table_at(const SurfaceSettings& recorded, const StepSetting& asked,
                          const forecast::SurfaceForecast& step,
                          const forecast::RunLength& length) {
  table::Table table{
      .name = "surface_run",
      .title = fmt::format("A run of {} at that setting", to_text(length)),
      .columns = with_intervals(
          {seconds_column("before", "before"), table::number_column("steps", "steps", "", 1),
           seconds_column("steps", "steps take"), seconds_column("after_epochs", "after epochs"),
           seconds_column("total", "total")})};
  if (!length.is_known()) {
    table.title = "The whole run";
    table.notes.emplace_back(
        "refused: the records do not state the run's number of epochs; give --epochs N or --steps "
        "N");
    return table;
  }
  const auto answer = surface_run(recorded, asked, step, length);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    table.notes.push_back("refused: " + refusal->reason);
    return table;
  }
  const auto& run = std::get<SurfaceRun>(answer);
  table.rows.push_back(with_intervals(
      {run.before_s, run.steps, run.steps_s, run.after_epochs_s, run.total_s.value}, run.total_s));
  table.notes.push_back(
      fmt::format("start-up and the longer first step are as in {}; what comes after an epoch "
                  "takes as much longer or shorter there as a "
                  "sample; both are known to {:.0f} %",
                  run.like->path, 100 * host_uncertainty));
  return table;
}

}  // namespace

Answers predict_surface(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  const auto recorded = surface_settings(records, arguments);
  const auto asked = setting_asked(recorded, arguments);
  auto steps = steps_table(recorded);
  const auto fitted = forecast::StepSurface::fit(recorded.times());
  const auto* surface = std::get_if<forecast::StepSurface>(&fitted);
  add_measured(steps, recorded, surface);
  const auto answer = surface ? surface->forecast(asked)
                              : std::variant<forecast::SurfaceForecast, forecast::Refusal>(
                                    std::get<forecast::Refusal>(fitted));
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    auto& row = steps.rows.emplace_back(setting_cells("refused", asked, recorded.on_gpus));
    row.resize(steps.columns.size());
    steps.notes.push_back("refused: " + refusal->reason);
    return {{std::move(steps)}, 0};
  }
  const auto& found = std::get<forecast::SurfaceForecast>(answer);
  add_step(steps, recorded, asked, found);
  auto run = run_table_at(recorded, asked, found, common_length(recorded, arguments));
  return {not_empty({std::move(steps), std::move(run), terms_table(asked, found)}), 1};
}

}  // namespace epochcast::analysis
