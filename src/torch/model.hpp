// A network as the workload sees it, and the registry of models (src/torch/models/, one file each). A model's
// file holds what is its own: structure, losses, update. Device, data, counting, checkpoints and timing are the
// workload's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/run/option_spec.hpp"
#include "src/torch/dataset.hpp"
#include "src/torch/torch.hpp"

namespace epochcast {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// How a step is done: `lab` in the published code's own order of work, waits included; `fast` the same numbers
/// to rounding, without the waste.
enum class Procedure { lab, fast };

/// One network, or a pair that is trained against each other, with its optimizers, on its device. Random numbers
/// come from LibTorch's default generators, whose state the workload saves.
class Network {
 public:
  virtual ~Network() = default;

  /// Forward, backward and update on a batch that stands on the device. Returns the losses summed over the batch
  /// as scalars on the device, in the order of loss_names; never waits for the device.
  virtual std::vector<torch::Tensor> step(const Samples& batch) = 0;
  virtual std::vector<std::string> loss_names() const = 0;

  /// Forward only, as for a user's request: no gradients, nothing of the state changes.
  virtual torch::Tensor infer(const Samples& batch) = 0;

  /// The trainable parameters.
  virtual NamedTensors parameters() const = 0;

  /// All that training on needs: parameters, buffers, optimizer. Restoring copies into these very tensors.
  virtual NamedTensors state() const = 0;

  /// Pictures that the network makes, (N, 3, H, W) from -1 to 1, without a change of its state; undefined where
  /// it makes none.
  virtual torch::Tensor sample(const torch::Generator& /*random*/) { return {}; }
};

/// What a network is made with.
struct NetworkContext {
  OptionValues options;  ///< Complete and checked.
  Procedure procedure = Procedure::fast;
  torch::Device device = torch::kCPU;
};

struct ModelSpec {
  std::string summary;
  std::vector<OptionSpec> options;
  std::vector<std::int64_t> input;  ///< Shape of one sample: {3, 64, 64}.
  std::function<std::unique_ptr<Network>(const NetworkContext&)> make;
};

namespace models {
const std::map<std::string, ModelSpec>& all();
}

}  // namespace epochcast
