// Telemetry in the record: the samples of all ranks, and from them the usage of each epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "src/record/writer.hpp"
#include "src/telemetry/sampler.hpp"
#include "src/telemetry/usage.hpp"
#include "src/train/team.hpp"

namespace epochcast::train {

/// Samples from its construction on. All calls come from the thread of the loop. epoch_ends() and
/// finish() are called by all ranks together; rank 0 then records the samples of all.
class TelemetryLog {
 public:
  /// `machines`: on rank 0 those of all ranks.
  TelemetryLog(const telemetry::Sources& sources, double period_s,
               std::vector<record::Machine> machines, Team& team, record::RecordWriter& record);

  /// Appends the samples of rank 0 to the record.
  void write();

  /// Samples where an epoch starts, so that its usage is not that of its neighbours, unless the
  /// last sample is so recent that short epochs would spend their time on samples.
  void epoch_begins();
  /// Appends the usage of the epochs that all samples have passed.
  void epoch_ends(std::int64_t epoch, double start_s, double end_s);
  /// Ends the sampling and appends what is left.
  void finish();

 private:
  static constexpr double least_age_s = 0.2;
  void share(bool is_last);
  void append_usage(double sampled_until_s);
  void forget_old_samples();

  telemetry::Sampler sampler_;
  std::vector<record::Machine> machines_;
  Team& team_;
  record::RecordWriter& record_;
  std::vector<record::Telemetry> samples_;   ///< Rank 0: of all ranks, for usage to come.
  std::vector<record::GpuTelemetry> gpus_;   ///< The same.
  std::vector<record::CpuTelemetry> cpus_;   ///< Other ranks: not shared yet.
  std::vector<telemetry::Stretch> pending_;  ///< Epochs without usage yet.
};

}  // namespace epochcast::train
