// Energy of a recorded run, where it was measured.
#pragma once

#include <cstdint>
#include <optional>

#include "src/record/record.hpp"

namespace epochcast::record {

/// Of one epoch with its evaluation and checkpoint; in J.
struct EpochEnergy {
  /// CPU packages and memory of all nodes, whoever used them; std::nullopt if a node has no counter
  /// that could be read.
  std::optional<double> cpu_j;
  /// GPUs of all ranks; std::nullopt if there is none, or one was not measured.
  std::optional<double> gpu_j;

  /// Their sum; std::nullopt unless all was measured that the run computed on.
  std::optional<double> total_j(bool used_gpu) const;
};

EpochEnergy epoch_energy(const Record& record, std::int64_t epoch);

/// What an epoch takes: the median of total_j over the epochs with samples.
struct RunEnergy {
  std::size_t epochs = 0;  ///< That were measured.
  std::optional<double> cpu_j_per_epoch;
  std::optional<double> gpu_j_per_epoch;
  std::optional<double> j_per_epoch;
  std::optional<double> j_per_sample;
  std::optional<double> mean_w;
};

RunEnergy run_energy(const Record& record);

}  // namespace epochcast::record
