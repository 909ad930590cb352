// TelemetryRecorder in the record: the samples of all ranks, and from them the usage of each epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "src/measure/attempt/telemetry.hpp"
#include "src/record/writer.hpp"
#include "src/training/loop/observer.hpp"
#include "src/training/loop/team.hpp"

namespace epochcast::train {

/// Samples from its construction on. epoch_recorded() and run_ends() are called by all ranks
/// together; rank 0 then records the samples of all.
class TelemetryLog final : public Observer {
 public:
  /// `machines`: on rank 0 those of all ranks.
  TelemetryLog(const telemetry::Sources& sources, double period_s,
               std::vector<record::Machine> machines, Team& team, record::RecordWriter& record);

  /// Samples where an epoch starts, so that its usage is not that of its neighbours.
  void epoch_begins(std::int64_t epoch) override;
  /// Appends the usage of the epochs that all samples have passed.
  void epoch_recorded(const record::Epoch& row, double end_s) override;
  /// Ends the sampling and appends what is left.
  void run_ends() override;
  /// Appends the samples of rank 0.
  void append_rows(record::RecordWriter& record) override;

 private:
  void share(bool is_last);
  template <class Row>
  std::vector<Row> collect(std::vector<Row>& own);

  attempt::TelemetryRecorder telemetry_;
  Team& team_;
  record::RecordWriter& record_;
  std::vector<record::Telemetry> samples_;  ///< Other ranks than 0: not shared yet.
  std::vector<record::GpuTelemetry> gpus_;  ///< The same.
  std::vector<record::CpuTelemetry> cpus_;  ///< The same.
};

}  // namespace epochcast::train
