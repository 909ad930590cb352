// The time of whole runs from their first K epochs, with start-up, what lies between epochs, and
// the end, on logs of others: the question that `predict --epochs` answers.
#include <algorithm>

#include "analysis/validate/run_question.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::analysis::validators {
namespace runs_validator {

std::vector<RunRule> rivals() {
  return {{"start-up + N x first", 1,
           [](const auto& run) {
             return run.before_s + static_cast<double>(run.epochs) * run.step_s[0];
           }},
          {"start-up + first + (N-1) x second with its pause", 2,
           [](const auto& run) {
             return run.before_s + run.step_s[0] +
                    static_cast<double>(run.epochs - 1) * (run.gaps_s.front() + run.step_s[1]);
           }},
          rule_of_later_half()};
}

std::optional<std::string> why_not(const EpochLog& run) {
  if (!run.passes_over_data()) {
    return "its epochs are no passes over data (minigo)";
  }
  if (run.overlaps) {
    return "epochs overlap";
  }
  return run.whole_s ? std::nullopt
                     : std::optional<std::string>("start or end of the run is not known");
}

/// The record of the run as it was when `seen` epochs had ended.
record::Record record_of(const EpochLog& run, std::size_t seen) {
  record::Record record;
  for (std::size_t i = 0; i < seen; ++i) {
    record.epochs.push_back({.epoch = static_cast<std::int64_t>(i),
                             .start_s = run.start_s[i],
                             .wall_s = run.epoch_s[i]});
  }
  return record;
}

ForecastCase case_of(const EpochLog& run, std::size_t seen) {
  return {.seen = forecast::series_of(record_of(run, seen), {.epochs = std::ssize(run.epoch_s)}),
          .actual_s = *run.whole_s};
}

forecast::ReferenceRun relative_of(const EpochLog& run) {
  return {.system = system_of(run),
          .epoch_s = run.epoch_s,
          .gaps_s = pauses_of(run, run.epoch_s.size()),
          .end_s = std::max(0.0, *run.whole_s - (run.start_s.back() + run.epoch_s.back()))};
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  return score_runs({"Time of whole runs", {1, 2, 3, 5}, why_not, case_of, relative_of, rivals()},
                    file, options);
}

}  // namespace runs_validator

ValidatorSpec runs() {
  return {.summary =
              "whole runs, with start-up, gaps and end, from their first K epochs (--seen; "
              "default 1, 2, 3 and 5)",
          .columns =
              "path,dur_s,start_ms,run_start_ms,run_stop_ms"
              "[,repo,kind,submitter,system,benchmark,seq]",
          .score = runs_validator::score,
          .learns = true,
          .has_relatives = true};
}

}  // namespace epochcast::analysis::validators
