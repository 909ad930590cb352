// What is asked of whole runs, and how the answers are scored: one table of the methods for each
// number of epochs seen, and one by length, class, benchmark and so on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/epoch_logs.hpp"
#include "analysis/validate/forecast_scores.hpp"
#include "analysis/validate/validator.hpp"
#include "src/forecast/run/reference_runs.hpp"

namespace epochcast::analysis {

/// A simple rule beside the forecast.
struct RunRule {
  std::string name;
  std::size_t fewest_seen;
  double (*total_s)(const forecast::RunSeries& seen);
  /// The half-width of its interval up to a factor that is learned; nullptr: none.
  double (*half_width_s)(const forecast::RunSeries& seen) = nullptr;
};

/// The rule of twelve lines that every forecast has to be ahead of: seen + rest x mean rate of the
/// later half of the units 2..K, and what was paused; its half-width is a learned factor times the
/// rest times 0.4 % + half of the range of the rates seen.
RunRule rule_of_later_half();

struct RunQuestion {
  std::string title;  ///< "Time of all epochs".
  std::vector<std::size_t> seen;
  /// Why a run is not scored, apart from its length; std::nullopt: it is.
  std::optional<std::string> (*why_not)(const EpochLog& run);
  /// The run from its first `seen` epochs.
  ForecastCase (*case_of)(const EpochLog& run, std::size_t seen);
  /// The whole run, as a relative of others of the same program.
  forecast::ReferenceRun (*relative_of)(const EpochLog& run);
  std::vector<RunRule> rules;
  std::string unit = "epoch";  ///< What a run has several of.
  /// The same with the schedule of evaluations that the run's configuration states; std::nullopt:
  /// the file does not show it. nullptr: not asked.
  std::optional<ForecastCase> (*stated_case_of)(const EpochLog& run, std::size_t seen) = nullptr;
  std::string stated_name = "schedule known";
  EpochLogs (*read)(const CsvFile& file) = read_epoch_logs;
  /// A run has so many times what was seen of it, or more.
  double fewest_times = 1;
};

/// Scores the runs of a file. The last table of each number of epochs seen, each_K, has a row for
/// each run and method, with the ends of its intervals: what tests/bench/forecast_scores adds up.
/// Runs that are left out are counted by their reason in notes, each with the path of the first.
/// Throws Error, with these reasons, if no run is left.
std::vector<table::Table> score_runs(const RunQuestion& question, const CsvFile& file,
                                     const ValidateOptions& options);

}  // namespace epochcast::analysis
