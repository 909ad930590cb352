// Linear layers with ReLU between them as one operator of autograd's: around layers of a few
// numbers the bookkeeping of autograd costs more than they do.
#pragma once

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// `inputs`: (N, first width). `parameters`: weight (out, in) and bias (out) of every layer, the
/// first first. Returns (N, last width), which has a gradient with regard to the parameters, not to
/// the inputs. The same products and sums as those that autograd makes of torch::nn::Linear and
/// ReLU.
torch::Tensor perceptron(const torch::Tensor& inputs, const std::vector<torch::Tensor>& parameters);

}  // namespace epochcast::libtorch
