// What a run opens, by its configuration: the data set, whose batches it moves to the device, and
// the initial weights.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/record/run/run_config.hpp"
#include "src/training/loop/workload.hpp"
#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

struct DataOptions {
  const run::RunConfig& config;  ///< From resolve_defaults().
  const ModelSpec& model;
  const DatasetSpec& dataset;
  std::int64_t seed = 1;
  int threads = 1;
  bool refuse_bad_files = false;
  torch::Device device = torch::kCPU;
  Procedure procedure = Procedure::optimized;
};

/// Throws the exceptions of the data set.
std::unique_ptr<Dataset> open_data(const DataOptions& options);

/// Loads the weights that `config` (from resolve_defaults()) names, if any, into `network`. Returns
/// notes; throws as load_weights().
std::vector<std::string> load_initial_weights(const Network& network, const run::RunConfig& config);

/// The next batch of `data`, on the device; its inputs are undefined at the end of the pass.
Samples next_on_device(Dataset& data, const DataOptions& options);

/// The same batch for the loop.
train::Batch batch_of(const Samples& samples, const record::Work& work);

/// 0, 1, ..., `count` - 1.
std::vector<std::int64_t> first_indices(std::int64_t count);

}  // namespace epochcast::libtorch
