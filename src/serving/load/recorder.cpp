#include "src/serving/load/recorder.hpp"

#include <chrono>

#include "src/base/core/error.hpp"

namespace epochcast::load {

void LoadRecorder::start() {
  thread_.start(std::chrono::duration<double>(flush_interval_s_), [this] {
    write();
    try {
      record_.flush();
    } catch (const Error&) {  // a full disk; the rows stay, and the last flush tells it
    }
  });
}

void LoadRecorder::take(const record::ServingSecond& row) {
  const std::lock_guard lock(mutex_);
  seconds_.push_back(row);
}

void LoadRecorder::take(const record::ServingStage& row,
                        const std::vector<record::ServingLatency>& latencies) {
  const std::lock_guard lock(mutex_);
  stages_.push_back(row);
  latencies_.insert(latencies_.end(), latencies.begin(), latencies.end());
}

void LoadRecorder::take(const std::vector<record::ServingPass>& rows) {
  const std::lock_guard lock(mutex_);
  passes_ = rows;
}

void LoadRecorder::write() {
  std::vector<record::ServingSecond> seconds;
  std::vector<record::ServingPass> passes;
  std::vector<record::ServingStage> stages;
  std::vector<record::ServingLatency> latencies;
  {
    const std::lock_guard lock(mutex_);
    seconds.swap(seconds_);
    passes.swap(passes_);
    stages.assign(stages_.begin() + static_cast<std::ptrdiff_t>(written_stages_), stages_.end());
    latencies.assign(latencies_.begin() + static_cast<std::ptrdiff_t>(written_latencies_),
                     latencies_.end());
    written_stages_ = stages_.size();
    written_latencies_ = latencies_.size();
  }
  for (const auto& row : seconds) {
    record_.append(row);
  }
  for (const auto& row : stages) {
    record_.append(row);
  }
  for (const auto& row : latencies) {
    record_.append(row);
  }
  for (const auto& row : passes) {
    record_.append(row);
  }
  telemetry_.write(record_, {});
}

void LoadRecorder::finish(double start_s, double end_s) {
  thread_.stop();
  telemetry_.end();
  write();
  telemetry_.finish(record_, start_s, end_s);
}

}  // namespace epochcast::load
