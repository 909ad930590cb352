// Matrix products by oneDNN. LibTorch contains oneDNN but uses it for plain matrices only under
// torch.compile. On an AMD EPYC with AVX-512, oneDNN is about twice as fast as MKL, the BLAS of the
// wheels. On other CPUs the gain is smaller (docs/benchmarks.md).
#pragma once

#include <string_view>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch::onednn {

/// False if this LibTorch has no oneDNN, or it is disabled.
bool is_possible();

/// From now on oneDNN keeps the code that it has generated for the last 32 shapes of operands, and
/// so does the layer between it and LibTorch. Unless told otherwise each keeps that of 1024: with
/// texts of many lengths, hundreds of megabytes. Call it before the first product of this process.
/// Does not overrule the variables ONEDNN_PRIMITIVE_CACHE_CAPACITY and LRU_CACHE_CAPACITY.
void keep_few_shapes();

/// `weight` (out, in) in the layout that is fastest for oneDNN; only for linear() and
/// linear_plus().
torch::Tensor packed(const torch::Tensor& weight);

/// follows(x·weightᵀ + bias) for x (..., in), weight (out, in) with any strides or packed, and bias
/// (out) or undefined. `follows` is "none" or "gelu" (the exact GELU). Single precision on a CPU
/// only, without gradients.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     std::string_view follows = "none");

/// x·weightᵀ + bias + other, where `other` has the shape of the product.
torch::Tensor linear_plus(const torch::Tensor& x, const torch::Tensor& other,
                          const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace epochcast::libtorch::onednn
