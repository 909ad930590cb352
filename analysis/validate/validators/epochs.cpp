// The time of all epochs of a run from its first K, on logs of others.
#include <numeric>

#include "analysis/validate/run_question.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/run/run_length.hpp"

namespace epochcast::analysis::validators {
namespace epochs_validator {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The work of the whole run, and that seen; of units without work their numbers.
double all_work(const forecast::RunSeries& run) {
  return (run.step_work.empty() ? 1 : run.work_per_epoch) * static_cast<double>(run.epochs);
}

double seen_work(const forecast::RunSeries& run) {
  return run.step_work.empty() ? static_cast<double>(run.step_s.size()) : sum(run.step_work);
}

double rate(const forecast::RunSeries& run, std::size_t unit) {
  return run.step_s[unit] / (run.step_work.empty() ? 1 : run.step_work[unit]);
}

std::vector<RunRule> rivals() {
  return {{"N x first", 1, [](const auto& run) { return all_work(run) * rate(run, 0); }},
          {"first + (N-1) x second", 2,
           [](const auto& run) {
             const double first = run.step_work.empty() ? 1 : run.step_work[0];
             return run.step_s[0] + (all_work(run) - first) * rate(run, 1);
           }},
          {"N x mean of the seen", 2,
           [](const auto& run) { return all_work(run) * sum(run.step_s) / seen_work(run); }},
          {"seen + rest x median of 2..K", 3,
           [](const auto& run) {
             std::vector<double> rates;
             for (std::size_t i = 1; i < run.step_s.size(); ++i) {
               rates.push_back(rate(run, i));
             }
             return sum(run.step_s) + (all_work(run) - seen_work(run)) * quantile(rates, 0.5);
           }},
          rule_of_later_half()};
}

std::optional<std::string> why_not(const EpochLog& run) {
  if (!run.passes_over_data()) {
    return "its epochs are no passes over data (minigo)";
  }
  return run.overlaps ? std::optional<std::string>("epochs overlap") : std::nullopt;
}

ForecastCase case_of(const EpochLog& run, std::size_t seen) {
  const auto count = static_cast<std::ptrdiff_t>(seen);
  ForecastCase one{.seen = {.step_s = {run.epoch_s.begin(), run.epoch_s.begin() + count},
                            .steps_per_epoch = 1,
                            .epochs = std::ssize(run.epoch_s)},
                   .actual_s = sum(run.epoch_s)};
  if (!run.work.empty()) {
    one.seen.step_work = {run.work.begin(), run.work.begin() + count};
    one.seen.work_per_epoch = sum(run.work) / static_cast<double>(run.work.size());
  }
  return one;
}

/// The same of a run that is said to stop at a target.
std::optional<ForecastCase> stated_case_of(const EpochLog& run, std::size_t seen) {
  if (!forecast::ends_within_last(run.epoch_s)) {
    return std::nullopt;
  }
  auto stated = case_of(run, seen);
  stated.seen.stops_at_target = true;
  return stated;
}

forecast::ReferenceRun relative_of(const EpochLog& run) {
  return {.system = system_of(run), .epoch_s = run.epoch_s, .gaps_s = {}};
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  return score_runs({"Time of all epochs",
                     {1, 2, 3, 5},
                     why_not,
                     case_of,
                     relative_of,
                     rivals(),
                     "epoch",
                     stated_case_of,
                     "target known"},
                    file, options);
}

}  // namespace epochs_validator

ValidatorSpec epochs() {
  return {.summary = "all epochs of a run from its first K (--seen; default 1, 2, 3 and 5)",
          .columns = "path,dur_s[,repo,kind,submitter,system,benchmark,seq,start_ms,work]",
          .score = epochs_validator::score,
          .learns = true,
          .has_relatives = true};
}

}  // namespace epochcast::analysis::validators
