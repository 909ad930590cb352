#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "analysis/predict/length_asked.hpp"
#include "analysis/predict/one_workload.hpp"
#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "analysis/predict/probed_scaling.hpp"
#include "analysis/predict/time_on_device.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/forecast/scaling/scaling.hpp"

namespace epochcast::analysis {
namespace {

/// The first record that ran on what is asked about. Throws Error if there is none.
const record::Record& first_that_ran_on(const std::vector<LoadedRecord>& records, bool gpus) {
  const auto first = std::ranges::find_if(
      records, [&](const auto& loaded) { return ran_on(loaded.record, gpus); });
  if (first == records.end()) {
    throw Error(
        fmt::format("no record ran on {0}: --{1} forecasts from runs on several numbers of {0}",
                    gpus ? "GPUs" : "CPUs", gpus ? "gpus" : "cpus"));
  }
  return first->record;
}

/// What one record shows of its number of workers.
struct MeasuredRun {
  const record::Record* record;
  forecast::ScalingPoint point;
  RunHere run;
};

/// Runs whose workers are of one kind: only these show how they scale.
struct AlikeRuns {
  std::string kind;  ///< "" where all runs are of one.
  std::vector<MeasuredRun> runs = {};

  template <class Belongs>
  AlikeRuns chosen(std::string name, Belongs belongs) const {
    AlikeRuns some{std::move(name)};
    std::ranges::copy_if(runs, std::back_inserter(some.runs), belongs, &MeasuredRun::record);
    return some;
  }
};

/// CPUs may be threads of one process, or processes of so many threads; a run of one process is
/// the first of both.
std::vector<AlikeRuns> kinds_of(const AlikeRuns& all) {
  const auto is_one = [](const record::Record* record) { return ranks_of(*record) == 1; };
  const auto threads = [](const record::Record* record) {
    return cpus_of(*record) / ranks_of(*record);
  };
  std::set<std::int64_t> of_processes;
  for (const auto& [record, point, run] : all.runs) {
    if (!is_one(record)) {
      of_processes.insert(threads(record));
    }
  }
  const bool alone = std::ranges::any_of(all.runs, [&](const MeasuredRun& one) {
    return is_one(one.record) && !of_processes.contains(threads(one.record));
  });
  if (of_processes.size() + (alone ? 1 : 0) < 2) {
    return {all};
  }
  std::vector<AlikeRuns> kinds;
  if (alone) {
    kinds.push_back(all.chosen("threads of one process", is_one));
  }
  for (const auto count : of_processes) {
    kinds.push_back(
        all.chosen("processes of " + counted(static_cast<std::size_t>(count), "thread"),
                   [&](const record::Record* record) { return threads(record) == count; }));
  }
  return kinds;
}

struct ScalingRow {
  double workers;
  std::string source;
  forecast::Prediction total_s;
};

struct ScalingRows {
  std::vector<ScalingRow> rows = {};
  std::vector<std::string> notes = {};
  std::map<std::string, std::size_t> left_out = {};  ///< How many records for what reason.
};

table::Table scaling_table(const ScalingRows& made, const std::string& workers) {
  table::Columns<ScalingRow> columns{{"workers", workers, "", 0, &ScalingRow::workers},
                                     {"source", "source", &ScalingRow::source}};
  columns.add(prediction_columns("total", "total"), &ScalingRow::total_s);
  return table::make_table("scaling", "Run time on more " + workers, columns, made.rows,
                           made.notes);
}

/// "left out: no step measured (6 records)".
std::string to_text(const std::map<std::string, std::size_t>& reasons) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    parts.push_back(fmt::format("{} ({})", reason, counted(count, "record")));
  }
  return "left out: " + join(parts, "; ");
}

/// A record's row, and its run; nothing if it has none, with the reason in the notes.
std::optional<MeasuredRun> measured(const LoadedRecord& loaded, const forecast::RunLength& length,
                                    bool on_gpus, ScalingRows& made) {
  const auto& [path, record] = loaded;
  const auto workers = static_cast<double>(on_gpus ? gpus_of(record) : cpus_of(record));
  const auto leave_out = [&](const std::string& reason) {
    made.notes.push_back(path + ": left out: " + reason);
    ++made.left_out[reason];
    return std::nullopt;
  };
  if (!ran_on(record, on_gpus)) {
    return leave_out("it did not run on these");
  }
  const auto answer = forecast::forecast_of(record, length);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return leave_out(refusal->reason);
  }
  const auto& found = std::get<forecast::Forecast>(answer);
  made.rows.push_back({workers, path, found.total_s});
  return MeasuredRun{&record,
                     {workers, 1 / found.total_s.value, static_cast<double>(nodes_of(record))},
                     run_here(found)};
}

/// Those asked for, else the most of any record: all are forecast to the same.
forecast::RunLength common_epochs(const std::vector<LoadedRecord>& records,
                                  const cli::Arguments& arguments) {
  forecast::RunLength most;
  for (const auto& [path, record] : records) {
    const auto length = length_wanted(record, arguments);
    most = length.epochs > most.epochs ? length : most;
  }
  most.steps = 0;
  return most;
}

/// --gpus or --cpus on --nodes. Throws Error if the nodes do not divide the workers.
forecast::ScalingQuestion question_of(const cli::Arguments& arguments, bool on_gpus) {
  const std::string workers = on_gpus ? "gpus" : "cpus";
  forecast::ScalingQuestion question{.workers =
                                         static_cast<double>(cli::count_of(arguments, workers))};
  if (arguments.has("nodes")) {
    const auto nodes = cli::count_of(arguments, "nodes");
    if (cli::count_of(arguments, workers) % nodes != 0) {
      throw Error(fmt::format("--{}: {} are not the same number on each of {} nodes", workers,
                              question.workers, nodes));
    }
    question.nodes = static_cast<double>(nodes);
  }
  return question;
}

/// The run of so many workers. What they lose to each other, and the time before the first step, do
/// not depend on the device: all but the part that the fewest workers would divide among them.
RunHere scaled_run(const RunHere& fewest, double fewest_workers,
                   const forecast::Prediction& total_s, double workers) {
  const double divided_s = (fewest.total_s.value - fewest.fixed_s) * fewest_workers / workers;
  return {.total_s = total_s,
          .fixed_s = std::clamp(total_s.value - divided_s, std::min(fewest.fixed_s, total_s.value),
                                total_s.value)};
}

/// The row of the same workers with the other device, by the run with the fewest; or a note why
/// there is none: false.
bool add_on_device(const AlikeRuns& runs, const OtherDevice& other,
                   const forecast::Prediction& total_s, const forecast::ScalingQuestion& question,
                   ScalingRows& made) {
  const auto& [record, point, here] = *std::ranges::min_element(
      runs.runs, {}, [](const MeasuredRun& run) { return run.point.workers; });
  const auto asked = other.question(record->header.point.str(), *record);
  const auto on_device = time_on_device(asked);
  if (const auto why = on_device.refusal()) {
    made.notes.push_back("refused on " + asked.to->name + ": " + *why);
    return false;
  }
  const auto run = scaled_run(here, point.workers, total_s, question.workers);
  made.rows.push_back(
      {question.workers, "forecast on " + asked.to->name, run_on_device(run, on_device)});
  const auto& tier = std::get<device::TierRatio>(on_device.answer);
  made.notes.push_back(
      fmt::format("on {}: a step takes {:.3g} times as long as on {} ({}: {}); {:.1f} s of "
                  "start-up and exchange "
                  "stay as they are, {:.0f} % more or less",
                  asked.to->name, tier.ratio.value, asked.from->name, tier.tier, tier.ratio.basis,
                  run.fixed_s, 100 * host_uncertainty));
  return true;
}

/// The forecast's row, with --on that of the other device too, or a note why there is none: false.
bool add_forecast(const AlikeRuns& runs, const std::vector<forecast::ExchangeProbe>& probes,
                  const forecast::ScalingQuestion& question,
                  const std::optional<OtherDevice>& other, ScalingRows& made) {
  const auto prefix = runs.kind.empty() ? "" : runs.kind + ": ";
  ProbedRuns probed_runs{.points = {}, .records = {}, .probes = probes};
  for (const auto& [record, point, run] : runs.runs) {
    probed_runs.points.push_back(point);
    probed_runs.records.push_back(record);
  }
  auto answer = forecast::scaling_forecast(probed_runs.points, question);
  if (const auto probed = forecast_by_probes(probed_runs, question)) {
    answer = *probed;
  }
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    made.notes.push_back(prefix + "refused: " + refusal->reason);
    return false;
  }
  const auto& found = std::get<forecast::ScalingForecast>(answer);
  const auto total_s = forecast::inverse(found.throughput);
  made.rows.push_back({question.workers,
                       runs.kind.empty() ? "forecast" : fmt::format("forecast ({})", runs.kind),
                       total_s});
  made.notes.push_back(prefix + "the loss per worker follows: " + found.law);
  for (const auto& reason : found.reasons) {
    made.notes.push_back(prefix + reason);
  }
  return !other || add_on_device(runs, *other, total_s, question, made);
}

}  // namespace

Answers predict_scaling(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  const bool on_gpus = arguments.has("gpus");
  auto question = question_of(arguments, on_gpus);
  std::optional<OtherDevice> other;
  if (arguments.has("on")) {
    other.emplace(arguments);
  }
  const auto& example = first_that_ran_on(records, on_gpus);
  if (!on_gpus) {
    question.borders = borders_of(example);
  }
  require_one_workload(records, on_gpus);
  const auto length = common_epochs(records, arguments);
  ScalingRows made;
  AlikeRuns all;
  for (const auto& one : records) {
    if (const auto found = measured(one, length, on_gpus, made)) {
      all.runs.push_back(*found);
      if (!arguments.has("nodes")) {
        question.nodes = std::max(question.nodes, found->point.nodes);
      }
    }
  }
  if (all.runs.empty()) {
    throw RunError(to_text(made.left_out));
  }
  const auto probes = probes_of(records);
  std::size_t forecasts = 0;
  for (const auto& runs : on_gpus ? std::vector{all} : kinds_of(all)) {
    forecasts += add_forecast(runs, probes, question, other, made) ? 1 : 0;
  }
  return {{scaling_table(made, on_gpus ? "GPUs" : "CPUs")}, forecasts};
}

}  // namespace epochcast::analysis
