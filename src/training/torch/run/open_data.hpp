// What a run opens, by its configuration: the data set, whose batches it moves to the device, and
// the initial weights.
#pragma once

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "src/record/run/run_config.hpp"
#include "src/training/image/worker_pool.hpp"
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

/// The batches of a data set, on the device of a run. For a GPU, in the optimized procedure, a
/// thread makes the next two in pinned memory while the GPU computes.
class DeviceBatches {
 public:
  /// `data` must outlive this, and be started and read only by it.
  DeviceBatches(Dataset& data, const DataOptions& options);
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;

  /// As Dataset::start().
  void start(std::vector<std::int64_t> order, std::int64_t batch);
  /// The next batch; its inputs are undefined at the end of the pass. Labels of an inference stay
  /// on the host.
  Samples next();
  /// Waits until no thread reads the data set.
  void wait() const;

 private:
  Samples next_on_host();
  void make_ahead();

  Dataset& data_;
  torch::Device device_;
  Procedure procedure_;
  std::vector<torch::Tensor Samples::*> moved_;
  std::deque<std::future<Samples>> ahead_;
  std::unique_ptr<image::WorkerPool> thread_;  ///< Of one thread; null if batches are made at once.
};

/// The same batch for the loop.
train::Batch batch_of(const Samples& samples, const record::Work& work);

/// 0, 1, ..., `count` - 1.
std::vector<std::int64_t> first_indices(std::int64_t count);

}  // namespace epochcast::libtorch
