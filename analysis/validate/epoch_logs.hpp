// Runs of others as a table of epochs holds them: the columns of `export epochs`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"

namespace epochcast::analysis {

/// The epochs of one run in the order they started.
struct EpochLog {
  std::string path;
  std::string source;     ///< The repository: a round of MLPerf, which fixes what a benchmark is.
  std::string submitter;  ///< In lower case: sources spell one name in several ways.
  std::string system;
  std::string benchmark;
  std::vector<double> epoch_s;
  bool overlaps = false;  ///< An epoch starts before the one before it has ended.
  /// Samples, tokens or steps of each; empty: not known of all.
  std::vector<double> work = {};
  /// When each epoch started, after the start of the run, or if that is not known of the first
  /// epoch; empty: the file has no such stamps.
  std::vector<double> start_s = {};
  /// Evaluations in the pause before each; empty: not known.
  std::vector<double> eval_s = {};
  std::optional<double> whole_s = {};  ///< From the start of the run to its end, by their stamps.

  /// Reinforcement learning: an "epoch" of minigo is a generation of self-play games.
  bool passes_over_data() const { return benchmark != "minigo"; }
};

/// SUBMITTER/results/SYSTEM/BENCHMARK/RUN, where the file does not say these.
void take_place(EpochLog& log);

/// Names a system among those of all submitters.
std::string system_of(const EpochLog& run);

/// What lies between the first `count` epochs, in seconds. Their starts are known.
std::vector<double> pauses_of(const EpochLog& run, std::size_t count);

struct EpochLogs {
  /// By repository and path, so that the order of rows does not matter.
  std::vector<EpochLog> runs;
  std::vector<std::string> without_epochs;  ///< Paths of runs that have other rows only.
  ExcludedRows broken;
};

/// Reads the columns path, dur_s and, where there, repo, kind (only "epoch" is taken), submitter,
/// system, benchmark (else from a path SUBMITTER/results/SYSTEM/BENCHMARK/RUN), seq, start_ms,
/// run_start_ms, run_stop_ms, eval_s and work. The last row of a run may lack its work: it has that
/// of the one before. Throws Error if path or dur_s is missing.
EpochLogs read_epoch_logs(const CsvFile& file);

}  // namespace epochcast::analysis
