// The data set of a run, opened as its configuration says, and its batches on their way to the
// device.
#pragma once

#include <memory>

#include "src/run/run_config.hpp"
#include "src/torch/base/procedure.hpp"
#include "src/torch/network/model.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

struct DataOptions {
  const run::RunConfig& config;  ///< Completed.
  const ModelSpec& model;
  const DatasetSpec& dataset;
  std::int64_t seed = 1;
  int threads = 1;
  bool refuse_bad_files = false;
  torch::Device device = torch::kCPU;
  Procedure procedure = Procedure::optimized;
};

/// Throws what the data set throws.
std::unique_ptr<Dataset> open_data(const DataOptions& options);

/// The next batch of `data`, on the device; its inputs are undefined at the end of the pass.
Samples next_on_device(Dataset& data, const DataOptions& options);

/// What the loop is told of it.
train::Batch batch_of(const Samples& samples, const record::Work& work);

/// 0, 1, ..., `count` - 1.
std::vector<std::int64_t> first_indices(std::int64_t count);

}  // namespace epochcast::libtorch
