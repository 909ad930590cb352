#include "src/measure/attempt/telemetry.hpp"

#include <algorithm>
#include <ranges>

namespace epochcast::attempt {
namespace {

/// Samples at the ends of epochs are at least this far apart.
constexpr double least_age_s = 0.2;

/// So many samples of each rank are kept: half an hour. A long epoch has more.
constexpr std::size_t most_samples = 1800;

/// Samples of other ranks come this much later: they flush every two seconds.
constexpr double others_lag_s = 10;

}  // namespace

TelemetryRecorder::TelemetryRecorder(const telemetry::Sources& sources, double period_s,
                                     std::vector<record::Machine> machines)
    : machines_(std::move(machines)) {
  if (period_s > 0) {
    sampler_ = std::make_unique<telemetry::Sampler>(sources, period_s);
  }
}

void TelemetryRecorder::write(record::RecordWriter& record,
                              const std::vector<record::Epoch>& ended) {
  if (!ended.empty()) {
    sample();
  }
  append_samples(record);
  for (const auto& epoch : ended) {
    epoch_ended({epoch.epoch, epoch.start_s,
                 epoch.start_s + epoch.wall_s + epoch.evaluate_s + epoch.checkpoint_s});
  }
  append_usage(record, false);
  condense();
}

void TelemetryRecorder::sample() {
  if (sampler_) {
    sampler_->sample_now(least_age_s);
  }
}

void TelemetryRecorder::epoch_ended(const telemetry::TimeSpan& epoch) {
  any_epoch_ = true;
  last_end_s_ = epoch.end_s;
  pending_.push_back(epoch);
}

void TelemetryRecorder::append_samples(record::RecordWriter& record) {
  if (!sampler_) {
    return;
  }
  for (const auto& sample : take_samples()) {
    record.append(sample.machine);
    samples_.push_back(sample.machine);
    sampled_until_s_ = sample.machine.end_s;
    for (const auto& row : sample.cpus) {
      record.append(row);
    }
    for (const auto& row : sample.gpus) {
      record.append(row);
      gpus_.push_back(row);
    }
  }
}

void TelemetryRecorder::add(const record::Machine& machine) {
  machines_.push_back(machine);
}

void TelemetryRecorder::add(const std::vector<record::Telemetry>& samples,
                            const std::vector<record::GpuTelemetry>& gpus) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  gpus_.insert(gpus_.end(), gpus.begin(), gpus.end());
  if (!sampler_ && !samples.empty()) {
    sampled_until_s_ = samples.back().end_s;
  }
}

double TelemetryRecorder::covered_until_s() const {
  return machines_.size() > 1 ? std::max(sampled_until_s_ - others_lag_s, sampled_by_all_until_s())
                              : sampled_until_s_;
}

/// Until when there are samples of every rank; 0 if one has none.
double TelemetryRecorder::sampled_by_all_until_s() const {
  std::map<std::int64_t, double> of_rank;
  for (const auto& sample : samples_) {
    of_rank[sample.rank] = std::max(of_rank[sample.rank], sample.end_s);
  }
  return of_rank.size() < machines_.size() ? 0 : std::ranges::min(of_rank | std::views::values);
}

void TelemetryRecorder::append_usage(record::RecordWriter& record, bool all) {
  const double until_s = pending_.empty() ? 0 : covered_until_s();
  const auto is_covered = [&](const auto& span) { return all || span.end_s <= until_s; };
  for (const auto& span : pending_) {
    if (is_covered(span)) {
      append_usage(record, span);
    }
  }
  std::erase_if(pending_, is_covered);
  if (any_epoch_) {
    forget_old_samples();
  }
}

void TelemetryRecorder::append_usage(record::RecordWriter& record,
                                     const telemetry::TimeSpan& span) {
  telemetry::TimeSpan rest = span;
  rest.start_s = std::min(rest.end_s, std::max(rest.start_s, condensed_until_s_));
  for (auto row : telemetry::usage_of(rest, machines_, samples_, gpus_)) {
    if (const auto before = condensed_.find(row.rank); before != condensed_.end()) {
      row = telemetry::joined(before->second, row);
    }
    row.start_s = span.start_s;
    row.duration_s = span.end_s - span.start_s;
    record.append(row);
  }
  condensed_.clear();
}

/// Keeps the memory bounded where epochs are long, or there are none.
void TelemetryRecorder::condense() {
  if (samples_.size() <= most_samples * std::max<std::size_t>(1, machines_.size()) ||
      !pending_.empty()) {
    return;
  }
  const double from_s = std::max(condensed_until_s_, last_end_s_);
  const double until_s = std::min(covered_until_s(), samples_[samples_.size() / 2].end_s);
  for (const auto& row : telemetry::usage_of({-1, from_s, until_s}, machines_, samples_, gpus_)) {
    const auto before = condensed_.find(row.rank);
    condensed_[row.rank] =
        before == condensed_.end() ? row : telemetry::joined(before->second, row);
  }
  condensed_until_s_ = until_s;
  const auto is_old = [&](const auto& row) { return row.end_s <= until_s; };
  std::erase_if(samples_, is_old);
  std::erase_if(gpus_, is_old);
}

/// Keeps the samples since the end of the last epoch, and those of epochs without usage.
void TelemetryRecorder::forget_old_samples() {
  double from_s = last_end_s_;
  for (const auto& span : pending_) {
    from_s = std::min(from_s, span.start_s);
  }
  const auto is_old = [&](const auto& row) { return row.end_s < from_s; };
  std::erase_if(samples_, is_old);
  std::erase_if(gpus_, is_old);
}

void TelemetryRecorder::end() {
  if (sampler_) {
    sampler_->sample_now(0);
    sampler_->stop();
  }
}

void TelemetryRecorder::finish(record::RecordWriter& record, double start_s, double end_s) {
  if (!any_epoch_) {
    pending_.push_back({-1, start_s, end_s});
  }
  append_usage(record, true);
}

}  // namespace epochcast::attempt
