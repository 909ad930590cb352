// Linear layers with ReLU between them as one autograd operator. For layers of a few numbers,
// autograd's bookkeeping costs more than the layers themselves.
#pragma once

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// `inputs`: (N, first width). `parameters`: weight (out, in) and bias (out) of every layer, from
/// the first layer to the last. Returns (N, last width), which has a gradient with respect to the
/// parameters, but not to the inputs. Computes the same products and sums as autograd for
/// torch::nn::Linear and ReLU.
torch::Tensor perceptron(const torch::Tensor& inputs, const std::vector<torch::Tensor>& parameters);

}  // namespace epochcast::libtorch
