// Linear layers in training: their three products, by the faster library.
#pragma once

#include "src/torch/base/procedure.hpp"
#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// x·weightᵀ + bias of x (N, in), weight (out, in), bias (out), without autograd's bookkeeping.
torch::Tensor linear_values(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias);

/// a·b of matrices: with the gradient of the values (N, out) and the weight (out, in) the gradient
/// of x.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b);

/// gradientᵀ·x, (out, in): the gradient of the weight.
torch::Tensor linear_weight_gradient(const torch::Tensor& gradient, const torch::Tensor& x);

/// The output of `layer` for x (..., in). With Procedure::optimized, oneDNN computes large products
/// in single precision on a CPU, forward and backward; they differ from nn::Linear only by
/// rounding.
torch::Tensor linear(const torch::nn::Linear& layer, const torch::Tensor& x, Procedure procedure);

}  // namespace epochcast::libtorch
