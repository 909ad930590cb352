// The interface between a network and the workload, and the registry of models
// (src/training/torch/models/, one file each). The file of a model contains only its structure,
// losses and update. The workload handles device, data, counting, checkpoints and timing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/config/option_spec.hpp"
#include "src/training/loop/updates.hpp"
#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/precision.hpp"
#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/base/replicas.hpp"
#include "src/training/torch/data/dataset.hpp"
#include "src/training/torch/network/optimizer.hpp"
#include "src/training/torch/network/weights.hpp"

namespace epochcast::libtorch {

/// The output of a classifier for a batch, on its device.
struct Answers {
  torch::Tensor loss;     ///< Summed over the batch: a scalar.
  torch::Tensor classes;  ///< (N) int64, from classes_of().
};

/// One network, or a pair of networks trained against each other, with its optimizers, on its
/// device. Random numbers come from LibTorch's default generators, whose state the workload saves.
class Network {
 public:
  virtual ~Network() = default;

  /// Runs the forward and backward pass on a batch that is on the device, and the update if the
  /// batch is the last one of an update. Returns the values of loss_names(), summed over the batch,
  /// as scalars on the device. Waits for the device only in fp16. Networks without classes update
  /// after every batch.
  virtual std::vector<torch::Tensor> step(const Samples& batch, const train::BatchRole& role) = 0;
  std::vector<torch::Tensor> step(const Samples& batch) { return step(batch, {}); }

  /// The random numbers of the host that a step on `samples` samples needs, on the device;
  /// undefined if none. step() draws them itself where Samples::noise is undefined.
  virtual torch::Tensor draw_noise(std::int64_t /*samples*/) const { return {}; }

  /// The number of updates that were skipped because a gradient was not finite in fp16.
  virtual std::int64_t skipped_updates() const { return 0; }
  /// The names of the values that step() returns: "loss", "accuracy". Their means over the samples
  /// are reported.
  virtual std::vector<std::string> loss_names() const = 0;

  /// Scores held-out samples without changing the state. Only for networks with classes.
  virtual Answers score(const Samples& /*batch*/) { return {}; }

  /// Forward pass only, without gradients and without changing the state.
  virtual torch::Tensor infer(const Samples& batch) = 0;

  /// After this call, only infer() may be called. The network may release its parameters.
  virtual void prepare_for_inference() {}

  /// The trainable parameters.
  virtual NamedTensors parameters() const = 0;

  /// The optimizers that follow the learning-rate schedule.
  virtual std::vector<Optimizer*> optimizers() = 0;

  /// The content of a weights file: parameters and buffers.
  virtual NamedTensors weights() const = 0;

  /// The state of the training: weights and optimizers. To restore it, copy into these tensors.
  virtual NamedTensors state() const = 0;

  /// Images that the network generates, (N, 3, H, W) from -1 to 1, without changing its state. Only
  /// for networks without classes.
  virtual torch::Tensor sample(const torch::Generator& /*random*/) { return {}; }
};

/// What a network is created with.
struct NetworkContext {
  run::OptionValues options;  ///< Complete and checked.
  Procedure procedure = Procedure::optimized;
  torch::Device device = torch::kCPU;
  OptimizerChoice optimizer;
  double clip_norm = 0;  ///< As in RunConfig; like `precision`, only for networks with classes.
  Precision precision = Precision::fp32;
  Replicas* replicas = &alone();  ///< Must outlive the network.
};

struct ModelSpec {
  std::string summary;
  std::vector<run::OptionSpec> options;
  std::function<SampleSpec(const run::OptionValues&)> input;  ///< The samples that it needs.
  OptimizerChoice
      optimizer;  ///< The published optimizer; omitted options have the optimizer's defaults.
  std::function<std::unique_ptr<Network>(const NetworkContext&)> make;
  /// The layout of its weights in a hub. If empty, only files with exactly the model's own names
  /// can be read.
  std::function<HubLayout(const run::OptionValues&)> hub = [](const run::OptionValues&) {
    return HubLayout{};
  };
};

namespace models {
const std::map<std::string, ModelSpec>& all();
}

}  // namespace epochcast::libtorch
