// TelemetryRecorder in the record: the samples of the program's processes, and from them the usage
// of each epoch, or of the run if there are no epochs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "src/measure/telemetry/sampler.hpp"
#include "src/measure/telemetry/usage.hpp"
#include "src/record/writer.hpp"

namespace epochcast::attempt {

class TelemetryRecorder {
 public:
  /// Samples from now on, every `period_s`; 0: not at all.
  TelemetryRecorder(const telemetry::Sources& sources, double period_s,
                    std::vector<record::Machine> machines);

  /// Appends the samples so far, and the usage of epochs that they cover.
  void write(record::RecordWriter& record, const std::vector<record::Epoch>& ended);
  /// Samples now, unless the last sample is so recent that short epochs would spend their time on
  /// samples.
  void sample();
  /// Appends the samples so far.
  void append_samples(record::RecordWriter& record);
  /// The samples so far, for a rank whose samples another one records.
  std::vector<telemetry::Sample> take_samples() { return sampler_->take(); }
  /// Its usage is appended when samples cover it.
  void epoch_ended(const telemetry::TimeSpan& epoch);
  /// Appends the usage of the ended epochs that the samples of every rank have passed; `all`: of
  /// all.
  void append_usage(record::RecordWriter& record, bool all);
  /// Adds another rank, and what it has sampled, on the clock of this process. Usage of an epoch
  /// waits for late samples of other ranks, but not for long.
  void add(const record::Machine& machine);
  void add(const std::vector<record::Telemetry>& samples,
           const std::vector<record::GpuTelemetry>& gpus);
  /// Takes the last sample.
  void end();
  /// Appends the usage that is left: of the run if no epoch has ended.
  void finish(record::RecordWriter& record, double start_s, double end_s);

 private:
  void append_usage(record::RecordWriter& record, const telemetry::TimeSpan& span);
  double covered_until_s() const;
  double sampled_by_all_until_s() const;
  void condense();
  void forget_old_samples();

  std::vector<record::Machine> machines_;
  std::unique_ptr<telemetry::Sampler> sampler_;
  std::vector<record::Telemetry> samples_;  ///< For usage to come.
  std::vector<record::GpuTelemetry> gpus_;
  std::vector<telemetry::TimeSpan> pending_;  ///< Epochs without usage yet.
  /// By rank: the usage since the last epoch, of samples that are not kept any more.
  std::map<std::int64_t, record::EpochUsage> condensed_;
  double condensed_until_s_ = 0;
  bool any_epoch_ = false;
  double sampled_until_s_ = 0;  ///< By this rank.
  double last_end_s_ = 0;       ///< Of the last epoch.
};

}  // namespace epochcast::attempt
