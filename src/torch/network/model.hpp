// A network as the workload sees it, and the registry of models (src/torch/models/, one file each).
// A model's file holds what is its own: structure, losses, update. Device, data, counting,
// checkpoints and timing are the workload's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/run/option_spec.hpp"
#include "src/torch/base/named_tensors.hpp"
#include "src/torch/base/precision.hpp"
#include "src/torch/base/procedure.hpp"
#include "src/torch/base/replicas.hpp"
#include "src/torch/data/dataset.hpp"
#include "src/torch/network/optimizer.hpp"
#include "src/torch/network/weights.hpp"
#include "src/train/updates.hpp"

namespace epochcast::libtorch {

/// What a classifier says of a batch, on its device.
struct Answers {
  torch::Tensor loss;     ///< Summed over the batch: a scalar.
  torch::Tensor classes;  ///< (N) int64.
};

/// One network, or a pair that is trained against each other, with its optimizers, on its device.
/// Random numbers come from LibTorch's default generators, whose state the workload saves.
class Network {
 public:
  virtual ~Network() = default;

  /// Forward and backward on a batch that stands on the device, and where it is the last of an
  /// update that update. Returns what loss_names names, summed over the batch, as scalars on the
  /// device; waits for the device in fp16 only. Networks without classes make an update of every
  /// batch.
  virtual std::vector<torch::Tensor> step(const Samples& batch, const train::BatchRole& role) = 0;
  std::vector<torch::Tensor> step(const Samples& batch) { return step(batch, {}); }

  /// Updates that were left out, since a gradient was not finite in fp16.
  virtual std::int64_t skipped_updates() const { return 0; }
  /// "loss", "accuracy": means over the samples are reported.
  virtual std::vector<std::string> loss_names() const = 0;

  /// Held-out samples, of a network whose samples have classes; nothing of the state changes.
  virtual Answers score(const Samples& /*batch*/) { return {}; }

  /// Forward only, as for a user's request: no gradients, nothing of the state changes.
  virtual torch::Tensor infer(const Samples& batch) = 0;

  /// From now on nothing but infer() is called, which a network may get ready for: its parameters
  /// may be gone.
  virtual void prepare_for_inference() {}

  /// The trainable parameters.
  virtual NamedTensors parameters() const = 0;

  /// Those that a schedule of the learning rate goes for.
  virtual std::vector<Optimizer*> optimizers() = 0;

  /// What a file of weights holds: parameters and buffers.
  virtual NamedTensors weights() const = 0;

  /// All that training on needs: weights and optimizers. Restoring copies into these very tensors.
  virtual NamedTensors state() const = 0;

  /// Pictures that the network makes, (N, 3, H, W) from -1 to 1, without a change of its state;
  /// undefined where it makes none.
  virtual torch::Tensor sample(const torch::Generator& /*random*/) { return {}; }
};

/// What a network is made with.
struct NetworkContext {
  run::OptionValues options;  ///< Complete and checked.
  Procedure procedure = Procedure::optimized;
  torch::Device device = torch::kCPU;
  OptimizerChoice optimizer;
  double clip_norm =
      0;  ///< As RunConfig has it; with `precision` for networks whose samples have classes.
  Precision precision = Precision::fp32;
  Replicas* replicas = &alone();  ///< Outlives the network.
};

struct ModelSpec {
  std::string summary;
  std::vector<run::OptionSpec> options;
  std::function<SampleSpec(const run::OptionValues&)> input;  ///< What one sample is.
  OptimizerChoice
      optimizer;  ///< What it was published with; options left out have the optimizer's defaults.
  std::function<std::unique_ptr<Network>(const NetworkContext&)> make;
  /// How a hub lays out its weights; none: only files of exactly its own names can be read.
  std::function<HubLayout(const run::OptionValues&)> hub = [](const run::OptionValues&) {
    return HubLayout{};
  };
};

namespace models {
const std::map<std::string, ModelSpec>& all();
}

}  // namespace epochcast::libtorch
