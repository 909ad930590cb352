#include "src/training/loop/telemetry_log.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

#include "src/training/loop/gather_rows.hpp"

namespace epochcast::train {

TelemetryLog::TelemetryLog(const telemetry::Sources& sources, double period_s,
                           std::vector<record::Machine> machines, Team& team,
                           record::RecordWriter& record)
    : sampler_(sources, period_s), machines_(std::move(machines)), team_(team), record_(record) {}

void TelemetryLog::append_rows(record::RecordWriter& record) {
  const auto place = [&](auto row, auto& kept) {
    row.rank = team_.rank();
    row.end_s += team_.to_first_clock_s();
    row.end_s = std::max(row.end_s, row.duration_s);  // a clock that is ahead of rank 0's
    kept.push_back(row);
    if (team_.is_first()) {
      record.append(row);
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

void TelemetryLog::epoch_begins(std::int64_t /*epoch*/) {
  sampler_.sample_now(least_age_s);
}

void TelemetryLog::epoch_recorded(const record::Epoch& row, double end_s) {
  sampler_.sample_now(least_age_s);
  pending_.push_back({row.epoch, row.start_s, end_s});
  share(false);
}

void TelemetryLog::run_ends() {
  sampler_.sample_now(0);
  sampler_.stop();
  share(true);
}

/// Rows of other ranks go to rank 0, which records them and keeps those that usage needs.
void TelemetryLog::share(bool is_last) {
  append_rows(record_);
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
  append_usage(is_last ? std::numeric_limits<double>::infinity() : sampled_until_s());
  forget_old_samples();
}

/// Until when there are samples of every rank; 0 if one has none yet.
double TelemetryLog::sampled_until_s() const {
  std::map<std::int64_t, double> of_rank;
  for (const auto& sample : samples_) {
    of_rank[sample.rank] = std::max(of_rank[sample.rank], sample.end_s);
  }
  if (std::ssize(of_rank) < team_.size()) {
    return 0;
  }
  return std::ranges::min(of_rank | std::views::values);
}

void TelemetryLog::append_usage(double until_s) {
  const auto is_sampled = [&](const auto& stretch) { return stretch.end_s <= until_s; };
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
  double needed_from_s = sampled_until_s();
  for (const auto& stretch : pending_) {
    needed_from_s = std::min(needed_from_s, stretch.start_s);
  }
  const auto is_old = [&](const auto& row) { return row.end_s < needed_from_s; };
  std::erase_if(samples_, is_old);
  std::erase_if(gpus_, is_old);
}

}  // namespace epochcast::train
