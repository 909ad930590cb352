// The time of the rest of a run from its first M iterations.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "analysis/validate/forecast_scores.hpp"
#include "analysis/validate/scoring.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::analysis::validators {
namespace iterations_validator {

using Iterations = std::vector<double>;

/// The iterations of one run in their order.
struct IterationLog {
  std::vector<double> duration_s;
  std::vector<double> samples;  ///< Of each; empty if the file has no such column.
};

struct IterationLogs {
  std::vector<IterationLog> runs;  ///< By name, so that the order of rows does not matter.
  ExcludedRows broken;
};

struct LoggedIteration {
  double order = 0;
  double seconds = 0;
  double samples = 0;
};

IterationLog log_of(std::vector<LoggedIteration> iterations, bool with_samples) {
  std::stable_sort(iterations.begin(), iterations.end(),
                   [](const auto& a, const auto& b) { return a.order < b.order; });
  IterationLog log;
  for (const auto& iteration : iterations) {
    log.duration_s.push_back(iteration.seconds);
    if (with_samples) {
      log.samples.push_back(iteration.samples);
    }
  }
  return log;
}

/// Reads run,iteration,duration_s[,samples]. Throws Error if run or duration_s is missing. Without
/// the column iteration, rows stand in order.
IterationLogs read_iteration_logs(const CsvFile& file) {
  file.require({"run", "duration_s"});
  const bool with_samples = file.has("samples");
  IterationLogs logs;
  std::map<std::string, std::vector<LoggedIteration>> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto seconds = positive(file, row, "duration_s", logs.broken);
    const auto samples =
        seconds && with_samples ? positive(file, row, "samples", logs.broken) : seconds;
    if (samples) {
      auto& iterations = runs[file.text(row, "run")];
      const auto place = static_cast<double>(iterations.size());
      iterations.push_back({file.number(row, "iteration").value_or(place), *seconds, *samples});
    }
  }
  for (auto& [name, iterations] : runs) {
    logs.runs.push_back(log_of(std::move(iterations), with_samples));
  }
  return logs;
}

Iterations first_of(const Iterations& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

ForecastCase case_of(const IterationLog& run, std::size_t seen) {
  ForecastCase one{.seen = {.step_s = first_of(run.duration_s, seen),
                            .steps_per_epoch = std::ssize(run.duration_s),
                            .epochs = 1},
                   .actual_s = std::accumulate(run.duration_s.begin(), run.duration_s.end(), 0.0)};
  if (!run.samples.empty()) {
    one.seen.step_work = first_of(run.samples, seen);
    one.seen.work_per_epoch = std::accumulate(run.samples.begin(), run.samples.end(), 0.0);
  }
  for (const double seconds : one.seen.step_s) {
    one.given_s += seconds;
  }
  return one;
}

/// By what one more iteration takes.
Rule<ForecastCase> rest_times(const std::string& name, double (*step_s)(const Iterations& seen)) {
  return {"rest x " + name, [=](const ForecastCase& one) {
            const auto& seen = one.seen.step_s;
            const auto left = static_cast<double>(one.seen.steps_per_epoch - std::ssize(seen));
            return forecast::Prediction{left * step_s(seen)};
          }};
}

const std::vector<Rule<ForecastCase>>& rivals() {
  static const std::vector<Rule<ForecastCase>> rules{
      rest_times("first", [](const Iterations& seen) { return seen[0]; }),
      rest_times("mean", [](const Iterations& seen) { return mean(seen).value(); }),
      rest_times("mean without the first",
                 [](const Iterations& seen) {
                   return seen.size() < 2 ? seen[0] : mean({seen.begin() + 1, seen.end()}).value();
                 }),
      rest_times("median", [](const Iterations& seen) { return quantile(seen, 0.5); })};
  return rules;
}

table::Table score_seen(const std::vector<IterationLog>& runs, std::size_t seen) {
  std::vector<ForecastCase> cases;
  std::vector<double> actual_s;
  for (const auto& run : runs) {
    if (run.duration_s.size() >= 2 * seen) {  // the rest is at least as long as what was given
      cases.push_back(case_of(run, seen));
      actual_s.push_back(cases.back().actual_s - cases.back().given_s);
    }
  }
  auto methods = forecast_methods(cases, {});
  for (auto& rival : answers_of(rivals(), cases)) {
    methods.push_back(std::move(rival));
  }
  return score_table(fmt::format("seen_{}", seen),
                     fmt::format("Time of the rest of a run from its first {} iterations: {} runs",
                                 seen, cases.size()),
                     actual_s, methods);
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  const auto logs = read_iteration_logs(file);
  if (logs.runs.empty()) {
    throw Error(file.path() + ": no iteration in it that can be used");
  }
  std::vector<table::Table> tables;
  for (const auto seen :
       options.seen.empty() ? std::vector<std::size_t>{10, 50, 100} : options.seen) {
    tables.push_back(score_seen(logs.runs, seen));
  }
  if (const auto note = logs.broken.note()) {
    tables.front().notes.push_back(*note);
  }
  return tables;
}

}  // namespace iterations_validator

ValidatorSpec iterations() {
  return {.summary = "the rest of a run from its first M iterations (--seen; 10, 50 and 100)",
          .columns = "run,duration_s[,iteration,samples]",
          .score = iterations_validator::score};
}

}  // namespace epochcast::analysis::validators
