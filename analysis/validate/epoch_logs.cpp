#include "analysis/validate/epoch_logs.hpp"

#include <algorithm>
#include <map>

#include "src/core/text.hpp"

namespace epochcast::analysis {
namespace {

struct LoggedEpoch {
  double order = 0;
  double seconds = 0;
  std::optional<double> start_ms;
};

struct LoggedRun {
  std::size_t first_row = 0;
  std::vector<LoggedEpoch> epochs;
};

/// Stamps are rounded to milliseconds, lengths are not always taken from the same stamps.
bool overlap(const std::vector<LoggedEpoch>& epochs) {
  constexpr double rounding_ms = 2;
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    const auto& before = epochs[i - 1];
    if (before.start_ms && epochs[i].start_ms &&
        *epochs[i].start_ms < *before.start_ms + 1000 * before.seconds - rounding_ms) {
      return true;
    }
  }
  return false;
}

EpochLog log_of(const CsvFile& file, LoggedRun run) {
  std::stable_sort(run.epochs.begin(), run.epochs.end(),
                   [](const auto& a, const auto& b) { return a.order < b.order; });
  EpochLog log{.submitter = to_lower(file.text(run.first_row, "submitter")),
               .benchmark = file.text(run.first_row, "benchmark"),
               .epoch_s = {},
               .overlaps = overlap(run.epochs)};
  for (const auto& epoch : run.epochs) {
    log.epoch_s.push_back(epoch.seconds);
  }
  return log;
}

}  // namespace

EpochLogs read_epoch_logs(const CsvFile& file) {
  file.require({"path", "dur_s"});
  EpochLogs logs;
  std::map<std::pair<std::string, std::string>, std::size_t> index_of;
  std::vector<LoggedRun> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    if (file.has("kind") && file.text(row, "kind") != "epoch") {
      continue;
    }
    const auto seconds = positive(file, row, "dur_s", logs.broken);
    if (!seconds) {
      continue;
    }
    const auto [found, is_new] =
        index_of.try_emplace({file.text(row, "repo"), file.text(row, "path")}, runs.size());
    if (is_new) {
      runs.push_back({.first_row = row, .epochs = {}});
    }
    const auto start_ms = file.number(row, "start_ms");
    auto& epochs = runs[found->second].epochs;
    epochs.push_back({.order = start_ms.value_or(
                          file.number(row, "seq").value_or(static_cast<double>(epochs.size()))),
                      .seconds = *seconds,
                      .start_ms = start_ms});
  }
  for (const auto& [key, index] : index_of) {
    logs.runs.push_back(log_of(file, std::move(runs[index])));
  }
  return logs;
}

}  // namespace epochcast::analysis
