// The time of a training from its first M steps, with the evaluations between them: logs that state
// the time of each step.
#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/validate/run_question.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::analysis::validators {
namespace steps_validator {

struct Mark {
  double end_s = 0;
  double step_s = 0;
};

/// Marks that state the time of a step, as epochs; a step starts by its time before its mark.
EpochLogs read(const CsvFile& file) {
  file.require({"path", "time_ms", "step_time_s"});
  EpochLogs logs;
  std::map<std::string, std::vector<Mark>> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    auto& marks = runs[file.text(row, "path")];
    if (file.text(row, "step_time_s").empty()) {
      continue;
    }
    const auto step_s = positive(file, row, "step_time_s", logs.broken);
    const auto at_ms = step_s ? positive(file, row, "time_ms", logs.broken) : std::nullopt;
    if (at_ms) {
      marks.push_back({*at_ms / 1000, *step_s});
    }
  }
  for (auto& [path, marks] : runs) {
    if (marks.empty()) {
      logs.without_epochs.push_back(path);
      continue;
    }
    std::ranges::stable_sort(marks, {}, &Mark::end_s);
    EpochLog log{.path = path};
    const double from_s = marks.front().end_s - marks.front().step_s;
    for (const auto& mark : marks) {
      log.epoch_s.push_back(mark.step_s);
      log.start_s.push_back(mark.end_s - mark.step_s - from_s);
    }
    take_place(log);
    logs.runs.push_back(std::move(log));
  }
  return logs;
}

/// A mark every so many steps states the time of one of them only.
std::optional<std::string> why_not(const EpochLog& run) {
  std::vector<double> parts;
  for (std::size_t i = 1; i < run.epoch_s.size(); ++i) {
    parts.push_back((run.start_s[i] + run.epoch_s[i] - run.start_s[i - 1] - run.epoch_s[i - 1]) /
                    run.epoch_s[i]);
  }
  constexpr double least = 0.7;
  constexpr double most = 1.5;
  const double part = parts.empty() ? 1 : quantile(parts, 0.5);
  return part > least && part < most
             ? std::nullopt
             : std::optional<std::string>("its marks do not follow every step");
}

ForecastCase case_of(const EpochLog& run, std::size_t seen) {
  return {.seen = {.step_s = {run.epoch_s.begin(),
                              run.epoch_s.begin() + static_cast<std::ptrdiff_t>(seen)},
                   .gaps_s = pauses_of(run, seen),
                   .steps_per_epoch = 1,
                   .epochs = std::ssize(run.epoch_s),
                   .of_blocks = true,
                   .ends_with_step = true,
                   .of_steps = true},
          .actual_s = run.start_s.back() + run.epoch_s.back()};
}

double seen_s(const forecast::RunSeries& run) {
  return std::accumulate(run.step_s.begin(), run.step_s.end(), 0.0) +
         std::accumulate(run.gaps_s.begin(), run.gaps_s.end(), 0.0);
}

double left(const forecast::RunSeries& run) {
  return static_cast<double>(run.epochs - std::ssize(run.step_s));
}

std::vector<RunRule> rivals() {
  return {{"N x mean of the seen, with pauses", 1,
           [](const auto& run) {
             return seen_s(run) * static_cast<double>(run.epochs) /
                    static_cast<double>(run.step_s.size());
           }},
          {"seen + rest x median", 1,
           [](const auto& run) { return seen_s(run) + left(run) * quantile(run.step_s, 0.5); }},
          rule_of_later_half()};
}

forecast::ReferenceRun relative_of(const EpochLog& run) {
  return {.system = system_of(run), .epoch_s = run.epoch_s, .gaps_s = {}};
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  constexpr double half_as_many_more = 1.5;
  return score_runs({.title = "Time of all steps",
                     .seen = {100},
                     .why_not = why_not,
                     .case_of = case_of,
                     .relative_of = relative_of,
                     .rules = rivals(),
                     .unit = "step",
                     .read = read,
                     .fewest_times = half_as_many_more},
                    file, options);
}

}  // namespace steps_validator

ValidatorSpec steps() {
  return {.summary =
              "all steps of a run, and the evaluations between them, from its first M "
              "(--seen; default 100)",
          .columns = "path,time_ms,step_time_s",
          .score = steps_validator::score,
          .learns = true};
}

}  // namespace epochcast::analysis::validators
