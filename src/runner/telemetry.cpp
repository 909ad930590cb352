#include "src/runner/telemetry.hpp"

#include <algorithm>

namespace epochcast::runner {
namespace {

/// Samples at the ends of epochs are at least this far apart.
constexpr double least_age_s = 0.2;

/// Samples of other ranks come this much later: they flush every two seconds.
constexpr double others_lag_s = 10;

}  // namespace

Telemetry::Telemetry(const telemetry::Sources& sources, double period_s,
                     std::vector<record::Machine> machines)
    : machines_(std::move(machines)) {
  if (period_s > 0) {
    sampler_ = std::make_unique<telemetry::Sampler>(sources, period_s);
  }
}

void Telemetry::write(record::RecordWriter& record, const std::vector<record::Epoch>& ended) {
  if (!sampler_) {
    return;
  }
  if (!ended.empty()) {
    any_epoch_ = true;
    sampler_->sample_now(least_age_s);
  }
  for (const auto& sample : sampler_->take()) {
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
  for (const auto& epoch : ended) {
    last_end_s_ = epoch.start_s + epoch.wall_s + epoch.evaluate_s + epoch.checkpoint_s;
    pending_.push_back({epoch.epoch, epoch.start_s, last_end_s_});
  }
  append_usage(record, false);
  if (any_epoch_) {
    forget_old_samples();
  }
}

void Telemetry::add(const record::Machine& machine) {
  machines_.push_back(machine);
}

void Telemetry::add(const std::vector<record::Telemetry>& samples,
                    const std::vector<record::GpuTelemetry>& gpus) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  gpus_.insert(gpus_.end(), gpus.begin(), gpus.end());
}

void Telemetry::append_usage(record::RecordWriter& record, bool all) {
  const double until_s = sampled_until_s_ - (machines_.size() > 1 ? others_lag_s : 0);
  const auto is_covered = [&](const auto& stretch) { return all || stretch.end_s <= until_s; };
  for (const auto& stretch : pending_) {
    if (is_covered(stretch)) {
      for (const auto& row : telemetry::usage_of(stretch, machines_, samples_, gpus_)) {
        record.append(row);
      }
    }
  }
  std::erase_if(pending_, is_covered);
}

/// Keeps the samples since the end of the last epoch, and those of epochs without usage.
void Telemetry::forget_old_samples() {
  double from_s = last_end_s_;
  for (const auto& stretch : pending_) {
    from_s = std::min(from_s, stretch.start_s);
  }
  const auto is_old = [&](const auto& row) { return row.end_s < from_s; };
  std::erase_if(samples_, is_old);
  std::erase_if(gpus_, is_old);
}

void Telemetry::end() {
  if (sampler_) {
    sampler_->sample_now(0);
    sampler_->stop();
  }
}

void Telemetry::finish(record::RecordWriter& record, double start_s, double end_s) {
  if (sampler_ && !any_epoch_) {
    pending_.push_back({-1, start_s, end_s});
  }
  append_usage(record, true);
}

}  // namespace epochcast::runner
