// A network that is trained to distinguish classes: mean cross-entropy, one optimizer. A model's
// file brings the structure only.
#pragma once

#include <functional>
#include <memory>

#include "src/torch/network/model.hpp"

namespace epochcast::libtorch {

/// What the file of a model provides: the weights, which are on the host and move to the context's
/// device, and how they make logits (N, classes) of a batch.
struct ClassifierNet {
  std::shared_ptr<torch::nn::Module> module;
  std::function<torch::Tensor(const Samples& batch)> logits;
};

/// Reports loss and accuracy of the training as it goes, weights moving; held-out samples are
/// answered with dropout off and batch norms on their running statistics.
std::unique_ptr<Network> make_classifier(ClassifierNet net, const NetworkContext& context);

/// The same of layers in a row, which look at the inputs only.
std::unique_ptr<Network> make_classifier(torch::nn::Sequential net, const NetworkContext& context);

}  // namespace epochcast::libtorch
