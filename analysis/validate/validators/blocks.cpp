// The time of all blocks of a run, with what lies between them, from its first K: logs that count
// samples, steps or tokens and have no epochs.
#include <numeric>

#include "analysis/validate/run_question.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::analysis::validators {
namespace blocks_validator {

/// Seen, and for the rest the median rate of the blocks from `first` on, and the median pause.
double by_rate_s(const forecast::RunSeries& run, std::size_t first) {
  std::vector<double> rates;
  double total_s = 0;
  double left = run.work_per_epoch * static_cast<double>(run.epochs);
  for (std::size_t i = 0; i < run.step_s.size(); ++i) {
    total_s += run.step_s[i];
    left -= run.step_work[i];
    if (i >= first) {
      rates.push_back(run.step_s[i] / run.step_work[i]);
    }
  }
  for (const auto gap_s : run.gaps_s) {
    total_s += gap_s;
  }
  const auto blocks_left = static_cast<double>(run.epochs - std::ssize(run.step_s));
  return total_s + left * quantile(rates, 0.5) +
         (run.gaps_s.empty() ? 0 : blocks_left * quantile(run.gaps_s, 0.5));
}

std::vector<RunRule> rivals() {
  return {{"rate of the first x work", 1, [](const auto& run) { return by_rate_s(run, 0); }},
          {"first + (N-1) x second", 2,
           [](const auto& run) {
             return run.step_s[0] +
                    static_cast<double>(run.epochs - 1) * (run.step_s[1] + run.gaps_s[0]);
           }},
          {"rate of blocks 2..K x work + median pause", 2,
           [](const auto& run) { return by_rate_s(run, 1); }},
          rule_of_later_half()};
}

std::optional<std::string> why_not(const EpochLog& run) {
  if (run.overlaps) {
    return "blocks overlap";
  }
  if (run.start_s.empty()) {
    return "the start of a block is not known";
  }
  return run.work.empty() ? std::optional<std::string>("the work of a block is not known")
                          : std::nullopt;
}

/// The work of every block is given, as the number of epochs is elsewhere. What follows the last
/// block is not in the file.
ForecastCase case_of(const EpochLog& run, std::size_t seen) {
  const auto count = static_cast<std::ptrdiff_t>(seen);
  const double work = std::accumulate(run.work.begin(), run.work.end(), 0.0);
  return {.seen = {.step_s = {run.epoch_s.begin(), run.epoch_s.begin() + count},
                   .step_work = {run.work.begin(), run.work.begin() + count},
                   .gaps_s = pauses_of(run, seen),
                   .steps_per_epoch = 1,
                   .work_per_epoch = work / static_cast<double>(run.work.size()),
                   .epochs = std::ssize(run.work),
                   .of_blocks = true,
                   .ends_with_step = true},
          .actual_s = run.start_s.back() + run.epoch_s.back() - run.start_s.front()};
}

/// What the configuration of a run says before it starts: after how much work the first evaluation
/// comes, and how much work lies between two. How long they take is not known.
std::optional<ForecastCase> stated_case_of(const EpochLog& run, std::size_t seen) {
  std::vector<double> at;
  double done = 0;
  for (std::size_t i = 0; i < run.eval_s.size(); ++i) {
    if (i > 0 && run.eval_s[i] > 0) {
      at.push_back(done);
    }
    done += run.work[i];
  }
  if (at.empty()) {
    return std::nullopt;
  }
  std::vector<double> between;
  for (std::size_t i = 1; i < at.size(); ++i) {
    between.push_back(at[i] - at[i - 1]);
  }
  auto stated = case_of(run, seen);
  stated.seen.schedules = {
      {.first = at.front(), .every = between.empty() ? at.front() : quantile(between, 0.5)}};
  return stated;
}

forecast::ReferenceRun relative_of(const EpochLog& run) {
  return {.system = system_of(run),
          .epoch_s = run.epoch_s,
          .gaps_s = pauses_of(run, run.epoch_s.size())};
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  return score_runs({"Time of all blocks",
                     {1, 2, 3, 5},
                     why_not,
                     case_of,
                     relative_of,
                     rivals(),
                     "block",
                     stated_case_of},
                    file, options);
}

}  // namespace blocks_validator

ValidatorSpec blocks() {
  return {.summary =
              "all blocks of a run, and the pauses, from its first K (--seen; default 1, 2, "
              "3 and 5)",
          .columns = "path,dur_s,start_ms,work[,repo,submitter,system,benchmark,seq,eval_s]",
          .score = blocks_validator::score,
          .learns = true};
}

}  // namespace epochcast::analysis::validators
