#include "src/forecast/efficiency/job_samples.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::efficiency {

void JobSamples::add(const record::Telemetry& sample) {
  constexpr double window_s = 0.95;  // the counters of the kernel tick in 10 ms
  end_s_ = std::max(end_s_, sample.end_s);
  auto& rank = ranks_[sample.rank];
  rank.most_bytes = std::fmax(rank.most_bytes, sample.resident_bytes);
  if (std::isnan(sample.own_cpu_s)) {
    return;
  }
  rank.cpu_s += sample.own_cpu_s;
  rank.covered_s += sample.duration_s;
  auto& [cpu_s, time_s] = rank.window;
  cpu_s += sample.own_cpu_s;
  time_s += sample.duration_s;
  if (time_s >= window_s) {
    rank.most_cpus = std::fmax(rank.most_cpus, cpu_s / time_s);
    rank.window = {};
  }
}

void JobSamples::add(const record::GpuTelemetry& sample) {
  most_gpu_bytes_ = std::fmax(most_gpu_bytes_, sample.memory_bytes);
  if (std::isnan(sample.use)) {
    return;
  }
  const auto name = sample.uuid.view().empty()
                        ? std::to_string(sample.rank) + "/" + std::to_string(sample.gpu)
                        : sample.uuid.str();
  auto& card = gpus_[name];
  card.busy_s += sample.use * sample.duration_s;
  card.covered_s += sample.duration_s;
  card.most_use = std::max(card.most_use, sample.use);
}

void JobSamples::add(const record::Record& record) {
  for (const auto& sample : record.telemetry) {
    add(sample);
  }
  for (const auto& sample : record.telemetry_gpus) {
    add(sample);
  }
}

}  // namespace epochcast::efficiency
