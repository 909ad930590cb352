// The time of all epochs of a run from its first K, on logs of others.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/validate/epoch_logs.hpp"
#include "analysis/validate/forecast_scores.hpp"
#include "analysis/validate/scoring.hpp"
#include "analysis/validate/validator.hpp"
#include "src/core/error.hpp"
#include "src/core/statistics.hpp"

namespace epochcast::analysis::validators {
namespace {

constexpr std::size_t fewest_epochs = 5;
// So that a run of 5 epochs is not scored on what was given.
constexpr std::size_t fewest_unseen = 3;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Reinforcement learning: an "epoch" of minigo is a generation of self-play games, not a pass over
/// data.
bool passes_over_data(const EpochLog& run) {
  return run.benchmark != "minigo";
}

struct Rule {
  std::string name;
  std::size_t fewest_seen;
  double (*total_s)(const std::vector<double>& seen, double epochs);
};

const std::vector<Rule>& rivals() {
  static const std::vector<Rule> rules{
      {"N x first", 1, [](const auto& seen, double epochs) { return epochs * seen[0]; }},
      {"first + (N-1) x second", 2,
       [](const auto& seen, double epochs) { return seen[0] + (epochs - 1) * seen[1]; }},
      {"N x mean of the seen", 2,
       [](const auto& seen, double epochs) {
         return epochs * sum(seen) / static_cast<double>(seen.size());
       }},
      {"seen + rest x median of 2..K", 3, [](const auto& seen, double epochs) {
         return sum(seen) + (epochs - static_cast<double>(seen.size())) *
                                quantile({seen.begin() + 1, seen.end()}, 0.5);
       }}};
  return rules;
}

std::vector<double> first_of(const EpochLog& run, std::size_t count) {
  return {run.epoch_s.begin(), run.epoch_s.begin() + static_cast<std::ptrdiff_t>(count)};
}

Method answers(const Rule& rule, const std::vector<ForecastCase>& cases) {
  Method method{rule.name, {}};
  for (const auto& one : cases) {
    method.guesses.push_back(
        Guess{rule.total_s(one.seen.step_s, static_cast<double>(one.seen.epochs))});
  }
  return method;
}

std::vector<ForecastCase> cases_of(const std::vector<EpochLog>& runs, std::size_t seen) {
  const auto fewest = std::max(fewest_epochs, seen < fewest_epochs ? 0 : seen + fewest_unseen);
  std::vector<ForecastCase> cases;
  for (const auto& run : runs) {
    if (passes_over_data(run) && !run.overlaps && run.epoch_s.size() >= fewest) {
      cases.push_back({.seen = {.step_s = first_of(run, seen),
                                .steps_per_epoch = 1,
                                .epochs = std::ssize(run.epoch_s)},
                       .actual_s = sum(run.epoch_s),
                       .groups = {run.submitter, run.benchmark}});
    }
  }
  return cases;
}

table::Table score_seen(const std::vector<EpochLog>& runs, std::size_t seen) {
  const auto cases = cases_of(runs, seen);
  std::vector<ScoredRow> targets;
  for (const auto& one : cases) {
    targets.push_back({one.actual_s, static_cast<double>(one.seen.epochs) * one.seen.step_s[0]});
  }
  auto methods = forecast_methods(cases, {"submitter", "benchmark"});
  for (const auto& rule : rivals()) {
    if (seen >= rule.fewest_seen) {
      methods.push_back(answers(rule, cases));
    }
  }
  return score_table(
      fmt::format("seen_{}", seen),
      fmt::format("Time of all epochs from the first {}: {} runs", seen, cases.size()), targets,
      methods);
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  const auto logs = read_epoch_logs(file);
  std::vector<table::Table> tables;
  for (const auto seen :
       options.seen.empty() ? std::vector<std::size_t>{1, 2, 3, 5} : options.seen) {
    tables.push_back(score_seen(logs.runs, seen));
  }
  if (const auto note = logs.broken.note()) {
    tables.front().notes.push_back(*note);
  }
  return tables;
}

}  // namespace

ValidatorSpec epochs() {
  return {.summary = "all epochs of a run from its first K (--seen; default 1, 2, 3 and 5)",
          .columns = "path,dur_s[,repo,kind,submitter,benchmark,seq,start_ms]",
          .score = score};
}

}  // namespace epochcast::analysis::validators
