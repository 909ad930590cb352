#include "analysis/validate/epoch_logs.hpp"

#include <algorithm>
#include <map>

#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

struct LoggedEpoch {
  double order = 0;
  double seconds = 0;
  std::optional<double> start_ms;
  std::optional<double> work;
  std::optional<double> eval_s;
};

struct LoggedRun {
  std::size_t first_row = 0;
  std::vector<LoggedEpoch> epochs = {};
};

using RunKey = std::pair<std::string, std::string>;

/// Stamps are rounded to milliseconds, lengths are not always taken from the same stamps.
constexpr double rounding_ms = 2;

bool overlap(const std::vector<LoggedEpoch>& epochs) {
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    const auto& before = epochs[i - 1];
    if (before.start_ms && epochs[i].start_ms &&
        *epochs[i].start_ms < *before.start_ms + 1000 * before.seconds - rounding_ms) {
      return true;
    }
  }
  return false;
}

/// Start and end of the run and of its epochs, if the file has all of them and they are in order.
void take_stamps(const CsvFile& file, const LoggedRun& run, EpochLog& log) {
  const auto& first = run.epochs.front();
  const auto& last = run.epochs.back();
  const bool has_run = file.has("run_start_ms");
  const auto from_ms = has_run ? file.number(run.first_row, "run_start_ms") : first.start_ms;
  const auto to_ms = file.number(run.first_row, "run_stop_ms");
  const bool known = from_ms && (to_ms || !has_run) && last.start_ms && first.start_ms &&
                     *first.start_ms >= *from_ms &&
                     (!to_ms || *to_ms + rounding_ms >= *last.start_ms + 1000 * last.seconds);
  if (!known) {
    return;
  }
  for (const auto& epoch : run.epochs) {
    if (epoch.start_ms) {
      log.start_s.push_back((*epoch.start_ms - *from_ms) / 1000);
    }
  }
  if (log.start_s.size() == run.epochs.size() && to_ms) {
    log.whole_s = (*to_ms - *from_ms) / 1000;
  }
}

void take_work(const LoggedRun& run, EpochLog& log) {
  for (const auto& epoch : run.epochs) {
    const bool is_last = &epoch == &run.epochs.back() && !log.work.empty();
    log.work.push_back(epoch.work ? *epoch.work : is_last ? log.work.back() : 0);
  }
  if (std::ranges::any_of(log.work, [](double work) { return !(work > 0); })) {
    log.work.clear();
  }
}

EpochLog log_of(const CsvFile& file, LoggedRun run) {
  std::stable_sort(run.epochs.begin(), run.epochs.end(),
                   [](const auto& a, const auto& b) { return a.order < b.order; });
  EpochLog log{.path = file.text(run.first_row, "path"),
               .source = file.text(run.first_row, "repo"),
               .submitter = to_lower(file.text(run.first_row, "submitter")),
               .system = file.text(run.first_row, "system"),
               .benchmark = file.text(run.first_row, "benchmark"),
               .epoch_s = {},
               .overlaps = overlap(run.epochs)};
  for (const auto& epoch : run.epochs) {
    log.epoch_s.push_back(epoch.seconds);
    if (epoch.eval_s) {
      log.eval_s.push_back(*epoch.eval_s);
    }
  }
  if (log.eval_s.size() != log.epoch_s.size()) {
    log.eval_s.clear();
  }
  take_stamps(file, run, log);
  take_work(run, log);
  take_place(log);
  return log;
}

}  // namespace

void take_place(EpochLog& log) {
  const auto parts = split(log.path, '/');
  if (log.submitter.empty() && log.benchmark.empty() && parts.size() == 5 &&
      parts[1] == "results") {
    log.submitter = to_lower(parts[0]);
    log.system = parts[2];
    log.benchmark = parts[3];
  }
}

std::string system_of(const EpochLog& run) {
  return run.submitter + "/" + to_lower(run.system);
}

std::vector<double> pauses_of(const EpochLog& run, std::size_t count) {
  std::vector<double> pauses_s;
  for (std::size_t i = 1; i < count; ++i) {
    pauses_s.push_back(std::max(0.0, run.start_s[i] - (run.start_s[i - 1] + run.epoch_s[i - 1])));
  }
  return pauses_s;
}

EpochLogs read_epoch_logs(const CsvFile& file) {
  file.require({"path", "dur_s"});
  EpochLogs logs;
  std::map<RunKey, LoggedRun> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    auto& run = runs.try_emplace({file.text(row, "repo"), file.text(row, "path")}, LoggedRun{row})
                    .first->second;
    if (file.has("kind") && file.text(row, "kind") != "epoch") {
      continue;
    }
    const auto seconds = positive(file, row, "dur_s", logs.broken);
    if (!seconds) {
      continue;
    }
    run.first_row = run.epochs.empty() ? row : run.first_row;
    const auto start_ms = file.number(row, "start_ms");
    auto& epochs = run.epochs;
    epochs.push_back({.order = start_ms.value_or(
                          file.number(row, "seq").value_or(static_cast<double>(epochs.size()))),
                      .seconds = *seconds,
                      .start_ms = start_ms,
                      .work = file.number(row, "work"),
                      .eval_s = file.number(row, "eval_s")});
  }
  for (auto& [key, run] : runs) {
    if (run.epochs.empty()) {
      logs.without_epochs.push_back(key.second);
    } else {
      logs.runs.push_back(log_of(file, std::move(run)));
    }
  }
  return logs;
}

}  // namespace epochcast::analysis
