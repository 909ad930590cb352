// Writes the rows of a load to its record, in a thread of its own: a disk must not delay requests;
// the table at its end.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "src/measure/attempt/repeating_thread.hpp"
#include "src/measure/attempt/telemetry.hpp"
#include "src/output/table/table.hpp"
#include "src/record/serving_rows.hpp"
#include "src/record/writer.hpp"
#include "src/serving/load/generator.hpp"

namespace epochcast::load {

class LoadRecorder : public RowSink {
 public:
  /// From start() to finish(), the thread writes the record, and nobody else may.
  LoadRecorder(record::RecordWriter& record, attempt::TelemetryRecorder& telemetry,
               double flush_interval_s)
      : record_(record), telemetry_(telemetry), flush_interval_s_(flush_interval_s) {}

  void start();
  void take(const record::ServingSecond& row) override;
  void take(const record::ServingStage& row,
            const std::vector<record::ServingLatency>& latencies) override;
  void take(const std::vector<record::ServingPass>& rows) override;
  /// Ends the thread and writes the rest, with the usage of the machine from `start_s` to `end_s`.
  void finish(double start_s, double end_s);
  /// After finish(): throws what ended the thread early, if anything did.
  void rethrow() const { thread_.rethrow(); }

  /// All stages so far, and their histograms.
  const std::vector<record::ServingStage>& stages() const { return stages_; }
  const std::vector<record::ServingLatency>& latencies() const { return latencies_; }

 private:
  void write();

  record::RecordWriter& record_;
  attempt::TelemetryRecorder& telemetry_;
  double flush_interval_s_;
  std::mutex mutex_;  ///< Of the rows.
  std::vector<record::ServingSecond> seconds_;
  std::vector<record::ServingPass> passes_;
  std::vector<record::ServingStage> stages_;
  std::vector<record::ServingLatency> latencies_;
  std::size_t written_stages_ = 0;
  std::size_t written_latencies_ = 0;
  attempt::RepeatingThread thread_;  ///< The last member: it ends before the others do.
};

/// A row for each stage: load, requests, answers a second, failures, quantiles of the latency.
table::Table summary_table(const std::vector<record::ServingStage>& stages,
                           const std::vector<record::ServingLatency>& latencies);

}  // namespace epochcast::load
