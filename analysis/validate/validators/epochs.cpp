// The time of all epochs of a run from its first K, on logs of others.
#include <numeric>

#include "analysis/validate/run_question.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::analysis::validators {
namespace epochs_validator {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<RunRule> rivals() {
  return {{"N x first", 1,
           [](const auto& run) { return static_cast<double>(run.epochs) * run.step_s[0]; }},
          {"first + (N-1) x second", 2,
           [](const auto& run) {
             return run.step_s[0] + static_cast<double>(run.epochs - 1) * run.step_s[1];
           }},
          {"N x mean of the seen", 2,
           [](const auto& run) {
             return static_cast<double>(run.epochs) * sum(run.step_s) /
                    static_cast<double>(run.step_s.size());
           }},
          {"seen + rest x median of 2..K", 3, [](const auto& run) {
             return sum(run.step_s) + static_cast<double>(run.epochs - std::ssize(run.step_s)) *
                                          quantile({run.step_s.begin() + 1, run.step_s.end()}, 0.5);
           }}};
}

std::optional<std::string> why_not(const EpochLog& run) {
  if (!run.passes_over_data()) {
    return "its epochs are no passes over data (minigo)";
  }
  return run.overlaps ? std::optional<std::string>("epochs overlap") : std::nullopt;
}

ForecastCase case_of(const EpochLog& run, std::size_t seen) {
  const auto end = run.epoch_s.begin() + static_cast<std::ptrdiff_t>(seen);
  return {.seen = {.step_s = {run.epoch_s.begin(), end},
                   .steps_per_epoch = 1,
                   .epochs = std::ssize(run.epoch_s)},
          .actual_s = sum(run.epoch_s)};
}

forecast::ReferenceRun relative_of(const EpochLog& run) {
  return {.system = system_of(run), .epoch_s = run.epoch_s, .gaps_s = {}};
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  return score_runs({"Time of all epochs", {1, 2, 3, 5}, why_not, case_of, relative_of, rivals()},
                    file, options);
}

}  // namespace epochs_validator

ValidatorSpec epochs() {
  return {.summary = "all epochs of a run from its first K (--seen; default 1, 2, 3 and 5)",
          .columns = "path,dur_s[,repo,kind,submitter,system,benchmark,seq,start_ms]",
          .score = epochs_validator::score,
          .learns = true,
          .has_relatives = true};
}

}  // namespace epochcast::analysis::validators
