#include "src/training/loop/telemetry_log.hpp"

#include <algorithm>
#include <utility>

#include "src/training/loop/rank_rows.hpp"

namespace epochcast::train {

TelemetryLog::TelemetryLog(const telemetry::Sources& sources, double period_s,
                           std::vector<record::Machine> machines, Team& team,
                           record::RecordWriter& record)
    : telemetry_(sources, period_s, std::move(machines)), team_(team), record_(record) {}

void TelemetryLog::append_rows(record::RecordWriter& record) {
  if (team_.is_first()) {
    telemetry_.append_samples(record);
    return;
  }
  const auto keep = [&](auto row, auto& kept) {
    row.rank = team_.rank();
    row.end_s += team_.to_first_clock_s();
    row.end_s = std::max(row.end_s, row.duration_s);  // a clock that is ahead of rank 0's
    kept.push_back(row);
  };
  for (const auto& sample : telemetry_.take_samples()) {
    keep(sample.machine, samples_);
    for (const auto& row : sample.cpus) {
      keep(row, cpus_);
    }
    for (const auto& row : sample.gpus) {
      keep(row, gpus_);
    }
  }
}

void TelemetryLog::epoch_begins(std::int64_t /*epoch*/) {
  telemetry_.sample();
}

void TelemetryLog::epoch_recorded(const record::Epoch& row, double end_s) {
  telemetry_.sample();
  if (team_.is_first()) {
    telemetry_.epoch_ended({row.epoch, row.start_s, end_s});
  }
  share(false);
}

void TelemetryLog::run_ends() {
  telemetry_.end();
  share(true);
}

/// On rank 0, the rows of all other ranks, which are recorded; nothing on another rank.
template <class Row>
std::vector<Row> TelemetryLog::collect(std::vector<Row>& own) {
  std::vector<Row> rows;
  for (const auto& of_rank : gather_rows(team_, std::exchange(own, {}))) {
    for (const auto& row : of_rank) {
      record_.append(row);
      rows.push_back(row);
    }
  }
  return rows;
}

/// Rows of other ranks go to rank 0, which records them.
void TelemetryLog::share(bool is_last) {
  append_rows(record_);
  if (team_.size() > 1) {
    const auto samples = collect(samples_);
    collect(cpus_);
    telemetry_.add(samples, collect(gpus_));
  }
  telemetry_.append_usage(record_, is_last);
}

}  // namespace epochcast::train
