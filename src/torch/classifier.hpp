// A network that is trained to tell classes apart: mean cross-entropy, one optimizer. A model's
// file brings the structure only.
#pragma once

#include <memory>

#include "src/torch/model.hpp"

namespace epochcast {

/// `net` maps a batch of inputs (N, ...) to logits (N, classes); its weights stand on the host and
/// move to the context's device. Reports loss and accuracy of the training as it goes, weights
/// moving, and val_loss and val_accuracy on held-out samples (dropout off, batch norms on their
/// running statistics).
std::unique_ptr<Network> make_classifier(torch::nn::Sequential net, const NetworkContext& context);

}  // namespace epochcast
