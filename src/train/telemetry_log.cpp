#include "src/train/telemetry_log.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "src/train/gather_rows.hpp"

namespace epochcast::train {

TelemetryLog::TelemetryLog(const telemetry::Sources& sources, double period_s,
                           std::vector<record::Machine> machines, Team& team,
                           record::RecordWriter& record)
    : sampler_(sources, period_s), machines_(std::move(machines)), team_(team), record_(record) {}

void TelemetryLog::write() {
  const auto place = [&](auto row, auto& kept) {
    row.rank = team_.rank();
    row.end_s += team_.to_first_clock_s();
    row.end_s = std::max(row.end_s, row.duration_s);  // a clock that is ahead of rank 0's
    kept.push_back(row);
    if (team_.is_first()) {
      record_.append(row);
    }
  };
  for (const auto& sample : sampler_.take()) {
    place(sample.machine, samples_);
    for (const auto& row : sample.cpus) {
      place(row, cpus_);
    }
    for (const auto& row : sample.gpus) {
      place(row, gpus_);
    }
  }
  if (team_.is_first()) {
    cpus_.clear();
  }
}

void TelemetryLog::epoch_begins() {
  sampler_.sample_now(least_age_s);
}

void TelemetryLog::epoch_ends(std::int64_t epoch, double start_s, double end_s) {
  sampler_.sample_now(least_age_s);
  pending_.push_back({epoch, start_s, end_s});
  share(false);
}

void TelemetryLog::finish() {
  sampler_.sample_now(0);
  sampler_.stop();
  share(true);
}

/// Rows of other ranks go to rank 0, which records them and keeps those that usage needs.
void TelemetryLog::share(bool is_last) {
  write();
  if (team_.size() > 1) {
    const auto collect = [&](auto& rows) {
      const bool first = team_.is_first();
      using Rows = std::remove_reference_t<decltype(rows)>;
      auto all = gather_rows(team_, first ? Rows{} : rows);
      if (!first) {
        rows.clear();
      }
      for (const auto& of_rank : all) {
        for (const auto& row : of_rank) {
          record_.append(row);
          rows.push_back(row);
        }
      }
    };
    collect(samples_);
    collect(cpus_);
    collect(gpus_);
    cpus_.clear();
  }
  if (!team_.is_first()) {
    pending_.clear();
    return;
  }
  std::map<std::int64_t, double> until_s;  // by rank
  for (const auto& sample : samples_) {
    until_s[sample.rank] = std::max(until_s[sample.rank], sample.end_s);
  }
  double sampled_until_s =
      is_last ? std::numeric_limits<double>::infinity()
              : (std::ssize(until_s) < team_.size() ? 0 : std::numeric_limits<double>::infinity());
  if (!is_last) {
    for (const auto& [rank, end_s] : until_s) {
      sampled_until_s = std::min(sampled_until_s, end_s);
    }
  }
  append_usage(sampled_until_s);
  forget_old_samples();
}

void TelemetryLog::append_usage(double sampled_until_s) {
  const auto is_sampled = [&](const auto& stretch) { return stretch.end_s <= sampled_until_s; };
  for (const auto& stretch : pending_) {
    if (is_sampled(stretch)) {
      for (const auto& row : telemetry::usage_of(stretch, machines_, samples_, gpus_)) {
        record_.append(row);
      }
    }
  }
  std::erase_if(pending_, is_sampled);
}

/// Keeps the last sample of every rank: the next epoch may begin within it.
void TelemetryLog::forget_old_samples() {
  double needed_from_s = std::numeric_limits<double>::infinity();
  std::map<std::int64_t, double> last_s;
  for (const auto& sample : samples_) {
    last_s[sample.rank] = std::max(last_s[sample.rank], sample.end_s);
  }
  for (const auto& [rank, end_s] : last_s) {
    needed_from_s = std::min(needed_from_s, end_s);
  }
  for (const auto& stretch : pending_) {
    needed_from_s = std::min(needed_from_s, stretch.start_s);
  }
  const auto is_old = [&](const auto& row) { return row.end_s < needed_from_s; };
  std::erase_if(samples_, is_old);
  std::erase_if(gpus_, is_old);
}

}  // namespace epochcast::train
