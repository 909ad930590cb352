// Linear layers in training: their three products, computed by the faster library.
#pragma once

#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// x·weightᵀ + bias for x (N, in), weight (out, in) and bias (out), without autograd's bookkeeping.
torch::Tensor linear_values(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias);

/// The matrix product a·b. If `a` is the gradient of the output (N, out) and `b` the weight (out,
/// in), the result is the gradient of x.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b);

/// gradientᵀ·x, (out, in): the gradient of the weight.
torch::Tensor linear_weight_gradient(const torch::Tensor& gradient, const torch::Tensor& x);

/// The output of `layer` for x (..., in). With Procedure::optimized, the faster of MKL and oneDNN
/// computes large products in single precision on a CPU, forward and backward; they differ from
/// nn::Linear only by rounding.
torch::Tensor linear(const torch::nn::Linear& layer, const torch::Tensor& x, Procedure procedure);

}  // namespace epochcast::libtorch
