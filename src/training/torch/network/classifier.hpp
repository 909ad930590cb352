// A network that is trained to distinguish classes, with mean cross-entropy and one optimizer. The
// file of a model provides only the structure.
#pragma once

#include <functional>
#include <memory>

#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

/// What the file of a model provides: the module with the weights, which are on the host and move
/// to the context's device, and the function that computes the logits (N, classes) of a batch.
struct ClassifierNet {
  std::shared_ptr<torch::nn::Module> module;
  std::function<torch::Tensor(const Samples& batch)> logits;
};

/// Reports loss and accuracy during training, while the weights change. Held-out samples are scored
/// with dropout off and with the running statistics of the batch norms.
std::unique_ptr<Network> make_classifier(ClassifierNet net, const NetworkContext& context);

/// The same for a sequence of layers that uses only the inputs of a batch.
std::unique_ptr<Network> make_classifier(torch::nn::Sequential net, const NetworkContext& context);

}  // namespace epochcast::libtorch
