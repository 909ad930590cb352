#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <variant>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/predict/length_asked.hpp"
#include "analysis/predict/memory_table.hpp"
#include "analysis/predict/one_workload.hpp"
#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "analysis/predict/surface_settings.hpp"
#include "analysis/predict/time_on_device.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/forecast/scaling/step_surface.hpp"

namespace epochcast::analysis {
namespace {

/// A whole run at a setting that was not run, from its step and from a run at another setting.
struct SurfaceRun {
  double steps = 0;  ///< Of each worker, all epochs together; a smaller last one counts.
  /// Before the first step, and by how much that step is longer than a steady one; as in `like`.
  double before_s = 0;
  double steps_s = 0;
  double after_epochs_s = 0;  ///< Per sample it is proportional to the time of a step.
  forecast::Prediction total_s = {};
  const LoadedRecord* like = nullptr;  ///< The run nearest to the setting.
};

using forecast::Refusal;

std::vector<SettingRun> by_distance(const SurfaceSettings& recorded,
                                    const forecast::StepSetting& asked) {
  auto runs = recorded.runs;
  std::ranges::stable_sort(runs, {}, [&](const SettingRun& run) {
    return forecast::squared_doublings(run.setting, asked);
  });
  return runs;
}

double samples_per_epoch(const record::Record& record) {
  if (!record.work.empty() && record.work.front().samples_per_epoch > 0) {
    return static_cast<double>(record.work.front().samples_per_epoch);
  }
  return record.epochs.empty() ? 0 : static_cast<double>(record.epochs.front().samples);
}

/// The time of the steps of an epoch, in steps at `asked`: a last one with fewer samples takes what
/// the law gives it.
double steps_of_epoch(double samples, bool drops_last, const forecast::StepSetting& asked,
                      const forecast::FittedStepLaw& law) {
  const double full = std::floor(samples / asked.batch / asked.workers);
  auto last = asked;
  last.batch = samples / asked.workers - full * asked.batch;
  return full + (drops_last || !(last.batch > 0) ? 0 : law.step_s(last) / law.step_s(asked));
}

double time_per_sample(const forecast::StepSetting& at, double step_s) {
  return step_s / at.batch / at.workers;
}

/// The run like `like`, whose own forecast is `found`.
std::variant<SurfaceRun, Refusal> run_like(const SettingRun& like, const forecast::Forecast& found,
                                           const forecast::StepSetting& asked,
                                           const forecast::SurfaceForecast& step,
                                           const forecast::RunLength& length) {
  const auto& record = like.loaded->record;
  const double longer_s =
      std::max(0.0, part_s(found, forecast::PartKind::first_step) - found.steady_step_s);
  SurfaceRun run{.before_s = part_s(found, forecast::PartKind::before) + longer_s,
                 .like = like.loaded};
  if (length.steps > 0) {
    run.steps = static_cast<double>(length.steps);
  } else {
    const double samples = samples_per_epoch(record);
    if (!(samples > 0)) {
      return Refusal{"the record does not state its samples per epoch; give --steps N"};
    }
    const bool drops_last = record::parameter(record, "last_batch") == "drop";
    run.steps = length.epochs_done() * steps_of_epoch(samples, drops_last, asked, step.law);
  }
  const auto steps_s = step.step_s * run.steps;
  run.steps_s = steps_s.value;
  run.after_epochs_s = part_s(found, forecast::PartKind::after_epochs) *
                       time_per_sample(asked, step.step_s.value) /
                       time_per_sample(like.setting, like.step_s);
  run.total_s = forecast::sum_of_independent(
      {steps_s, with_host_uncertainty(run.before_s + run.after_epochs_s)});
  return run;
}

/// The run of `length` at `asked`, whose step is forecast as `step`. The samples of an epoch are
/// those of the nearest run that can be forecast itself, and so are the time before the first step
/// and what that step takes longer. What comes after an epoch grows and shrinks like the time of a
/// sample. Both are known to 30 % (host_uncertainty). Returns a Refusal if no run can be forecast,
/// with the reason of the nearest one, or if it does not state its samples per epoch.
std::variant<SurfaceRun, Refusal> surface_run(const SurfaceSettings& recorded,
                                              const forecast::StepSetting& asked,
                                              const forecast::SurfaceForecast& step,
                                              const forecast::RunLength& length) {
  std::string why;
  for (const auto& like : by_distance(recorded, asked)) {
    const auto answer = forecast::forecast_of(like.loaded->record, length);
    if (const auto* found = std::get_if<forecast::Forecast>(&answer)) {
      return run_like(like, *found, asked, step, length);
    }
    why = why.empty() ? like.loaded->path + ": " + std::get<Refusal>(answer).reason : why;
  }
  return Refusal{why};
}

using forecast::StepSetting;

/// A step at a setting; what is not known of it is empty.
struct StepRow {
  std::string source;
  StepSetting at;
  std::optional<forecast::Prediction> step_s = {};  ///< Without intervals: measured.
  std::optional<double> law_s = {};
};

table::Table steps_table(bool on_gpus, const std::vector<StepRow>& rows,
                         std::vector<std::string> notes) {
  table::Columns<StepRow> columns{
      {"source", "source", &StepRow::source},
      {"batch", "batch", "", table::shortest_exact, [](auto& row) { return row.at.batch; }},
      {"input_length", "length", "", 0,
       [](auto& row) {
         return row.at.input_length == 1 ? table::Cell() : table::Cell(row.at.input_length);
       }},
      {"workers", on_gpus ? "GPUs" : "processes", "", 0, [](auto& row) { return row.at.workers; }},
      {"threads", "CPUs each", "", 0,
       [on_gpus](auto& row) { return on_gpus ? table::Cell() : table::Cell(row.at.threads); }},
      {"nodes", "nodes", "", 0, [](auto& row) { return row.at.nodes; }}};
  for (const auto& dimension : layout_dimensions) {
    const auto value = dimension.value;
    if (std::ranges::any_of(rows, [&](const StepRow& row) { return row.at.*value != 1; })) {
      const std::string key(dimension.key);
      columns.add({key, key, "", 0, [value](auto& row) { return row.at.*value; }});
    }
  }
  columns.add({{"step_ms", "a step", "ms", 3,
                [](auto& row) {
                  return row.step_s ? table::Cell(1e3 * row.step_s->value) : table::Cell();
                }},
               {"law_ms", "the law alone", "ms", 3, [](auto& row) {
                  return row.law_s ? table::Cell(1e3 * *row.law_s) : table::Cell();
                }}});
  columns.add(interval_columns(in_milliseconds), &StepRow::step_s);
  return table::make_table("surface", "Time of a step at a setting that was not run", columns, rows,
                           std::move(notes));
}

/// Of each measured setting the median step, and what the law gives there.
std::vector<StepRow> measured_rows(const SurfaceSettings& recorded,
                                   const forecast::StepSurface* surface) {
  std::vector<StepRow> rows;
  auto rest = recorded.runs;
  std::ranges::stable_sort(rest, {}, [](const SettingRun& run) {
    const auto& at = run.setting;
    return std::tuple(at.nodes, at.workers, at.threads, at.input_length, at.tensor, at.pipeline,
                      at.micro_batch, at.batch);
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
    rows.push_back({counted(steps_s.size(), "run"), setting,
                    forecast::Prediction{median_of(std::move(steps_s))},
                    surface ? std::optional(surface->law().step_s(setting)) : std::nullopt});
  }
  return rows;
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

/// What the forecast of the step rests on.
std::vector<std::string> notes_of(const SurfaceSettings& recorded, const StepSetting& asked,
                                  const forecast::SurfaceForecast& found) {
  auto notes = recorded.left_out;
  notes.insert(notes.end(), found.reasons.begin(), found.reasons.end());
  const auto borders = borders_between(recorded, asked);
  notes.insert(notes.end(), borders.begin(), borders.end());
  notes.emplace_back(
      "forecast: the law, corrected by what it misses at the settings nearby; the interval holds "
      "the errors of the settings when each is forecast from the others, and the disagreement of "
      "the laws");
  if (asked.input_length > 1) {
    notes.emplace_back(
        "length: the most tokens of a sample; texts that are shorter take less "
        "time, as in the runs");
  }
  return notes;
}

table::Table terms_table(const StepSetting& asked, const forecast::FittedStepLaw& law) {
  using forecast::StepTerm;
  const table::Columns<StepTerm> columns{
      {"term", "term", &StepTerm::name},
      {"time_ms", "time", "ms", 3, [&](auto& term) { return 1e3 * law.part_s(term, asked); }},
      {"share_percent", "share", "%", 1,
       [&](auto& term) { return 100 * law.part_s(term, asked) / law.step_s(asked); }}};
  return table::make_table("step_terms", "Terms of that step, by the law", columns, law.terms);
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
  std::string title = "The whole run";
  std::vector<SurfaceRun> rows;
  std::string note =
      "refused: the records do not state the run's number of epochs; give --epochs N or --steps N";
  if (length.is_known()) {
    title = fmt::format("A run of {} at that setting", to_text(length));
    const auto answer = surface_run(recorded, asked, step, length);
    if (const auto* run = std::get_if<SurfaceRun>(&answer)) {
      rows.push_back(*run);
      note = fmt::format(
          "start-up and the longer first step are as in {}; what comes after an epoch takes as "
          "much longer or shorter there as a sample; both are known to {:.0f} %",
          run->like->path, 100 * host_uncertainty);
    } else {
      note = "refused: " + std::get<forecast::Refusal>(answer).reason;
    }
  }
  table::Columns<SurfaceRun> columns{
      {"before_s", "before", "s", 1, &SurfaceRun::before_s},
      {"steps", "steps", "", 1, &SurfaceRun::steps},
      {"steps_s", "steps take", "s", 1, &SurfaceRun::steps_s},
      {"after_epochs_s", "after epochs", "s", 1, &SurfaceRun::after_epochs_s}};
  columns.add(prediction_columns("total", "total"), &SurfaceRun::total_s);
  return table::make_table("surface_run", title, columns, rows, {note});
}

Answers times_at(const SurfaceSettings& recorded, const StepSetting& asked,
                 const cli::Arguments& arguments) {
  const auto fitted = forecast::StepSurface::fit(recorded.times());
  const auto* surface = std::get_if<forecast::StepSurface>(&fitted);
  auto rows = measured_rows(recorded, surface);
  const auto answer = surface ? surface->forecast(asked)
                              : std::variant<forecast::SurfaceForecast, forecast::Refusal>(
                                    std::get<forecast::Refusal>(fitted));
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    rows.push_back({"refused", asked});
    auto notes = recorded.left_out;
    notes.push_back("refused: " + refusal->reason);
    return {{steps_table(recorded.on_gpus, rows, std::move(notes))}, 0};
  }
  const auto& found = std::get<forecast::SurfaceForecast>(answer);
  rows.push_back({"forecast", asked, found.step_s, found.law.step_s(asked)});
  return {not_empty({steps_table(recorded.on_gpus, rows, notes_of(recorded, asked, found)),
                     run_table_at(recorded, asked, found, common_length(recorded, arguments)),
                     terms_table(asked, found.law)}),
          1};
}

}  // namespace

Answers predict_surface(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  const auto all = surface_settings(records, arguments, false);
  const auto asked = setting_asked(all, arguments);
  auto memory = memory_at(all, asked);
  const bool timed =
      std::ranges::any_of(all.runs, [](const SettingRun& run) { return run.step_s > 0; });
  if (!timed && memory.forecasts > 0) {
    memory.tables.front().notes.emplace_back("no step of a run was timed, so there are no times");
    return memory;
  }
  auto answers = times_at(surface_settings(records, arguments), asked, arguments);
  std::ranges::move(memory.tables, std::back_inserter(answers.tables));
  return answers;
}

Answers predict_memory(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  const auto recorded = surface_settings(records, arguments, false);
  const auto device =
      arguments.has("on") ? std::optional(device_given(arguments.get("on"))) : std::nullopt;
  const auto parameters =
      arguments.has("parameters") ? static_cast<double>(cli::count_of(arguments, "parameters")) : 0;
  auto answers = memory_at(recorded, setting_asked(recorded, arguments),
                           device ? &*device : nullptr, parameters);
  if (answers.tables.empty()) {
    throw RunError("no run has a peak of memory; give runs with telemetry");
  }
  auto& notes = answers.tables.front().notes;
  notes.insert(notes.begin(), recorded.left_out.begin(), recorded.left_out.end());
  return answers;
}

}  // namespace epochcast::analysis
