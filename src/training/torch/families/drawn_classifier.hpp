// From a module to a classifier of random weights.
#pragma once

#include "src/training/torch/families/module_path.hpp"
#include "src/training/torch/network/classifier.hpp"

namespace epochcast::libtorch {

/// `net`'s forward takes Samples and gives logits.
template <class Module>
std::unique_ptr<Network> drawn_classifier(Module net, const NetworkContext& context) {
  draw_weights(*net);
  const auto logits = [net](const Samples& batch) mutable { return net->forward(batch); };
  return make_classifier(ClassifierNet{net.ptr(), logits}, context);
}

}  // namespace epochcast::libtorch
