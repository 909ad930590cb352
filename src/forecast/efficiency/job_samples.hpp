// The samples of telemetry of a job, added up one after the other: a run of a week has a million.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "src/record/record.hpp"

namespace epochcast::efficiency {

/// What the samples of one rank say.
struct RankSamples {
  double cpu_s = 0;
  double covered_s = 0;                      ///< Time that cpu_s is of.
  double most_cpus = record::not_measured;   ///< Busy at once, over a second.
  double most_bytes = record::not_measured;  ///< Resident memory.
  std::pair<double, double> window = {};     ///< CPU time and time since the last second.

  /// CPUs that were busy in the mean; NaN: not known.
  double busy_cpus() const { return covered_s > 0 ? cpu_s / covered_s : record::not_measured; }
};

/// What the samples of one GPU say.
struct GpuSamples {
  double busy_s = 0;
  double covered_s = 0;
  double most_use = 0;
};

class JobSamples {
 public:
  void add(const record::Telemetry& sample);
  void add(const record::GpuTelemetry& sample);
  /// Adds the samples of the record.
  void add(const record::Record& record);

  const std::map<std::int64_t, RankSamples>& ranks() const { return ranks_; }
  const std::map<std::string, GpuSamples>& gpus() const { return gpus_; }
  double most_gpu_bytes() const { return most_gpu_bytes_; }  ///< Of one GPU; NaN: not known.
  double end_s() const { return end_s_; }                    ///< Of the last sample.

 private:
  std::map<std::int64_t, RankSamples> ranks_;
  std::map<std::string, GpuSamples> gpus_;
  double most_gpu_bytes_ = record::not_measured;
  double end_s_ = 0;
};

}  // namespace epochcast::efficiency
