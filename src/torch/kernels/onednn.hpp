// Products of oneDNN, which LibTorch carries but calls for plain matrices only where torch.compile
// asks for them: on an AMD EPYC with AVX-512 about twice as fast as the BLAS of the wheels, MKL, on
// others less (README, Speed).
#pragma once

#include <string_view>

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch::onednn {

/// False where this LibTorch has no oneDNN, or it is switched off.
bool is_possible();

/// `weight` (out, in) laid out as oneDNN multiplies by it fastest; for linear() and linear_plus()
/// only.
torch::Tensor packed(const torch::Tensor& weight);

/// follows(x·weightᵀ + bias) for x (..., in), weight (out, in) of any strides or packed, and bias
/// (out) or undefined; `follows` is "none" or "gelu" (the exact one). In single precision on a CPU,
/// without gradients.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     std::string_view follows = "none");

/// x·weightᵀ + bias + other, which has the product's shape.
torch::Tensor linear_plus(const torch::Tensor& x, const torch::Tensor& other,
                          const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace epochcast::libtorch::onednn
