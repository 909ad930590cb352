#include "src/training/torch/kernels/packed_linear.hpp"

#include "src/training/torch/kernels/onednn.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

Tensor side_by_side(const std::vector<torch::nn::Linear>& layers,
                    Tensor torch::nn::LinearImpl::*part, const Tensor& scale) {
  std::vector<Tensor> parts;
  for (const auto& layer : layers) {
    parts.push_back((*layer).*part);
  }
  const auto all = torch::cat(parts);
  return !scale.defined() ? all : all * (all.dim() == 2 ? scale.unsqueeze(1) : scale);
}

}  // namespace

PackedLinear::PackedLinear(const std::vector<torch::nn::Linear>& layers, const Tensor& scale) {
  const torch::NoGradGuard no_grad;
  weight_ = onednn::packed(side_by_side(layers, &torch::nn::LinearImpl::weight, scale));
  bias_ = side_by_side(layers, &torch::nn::LinearImpl::bias, scale);
  const c10::InferenceMode ordinary_tensors(false);
  for (const auto& layer : layers) {
    layer->weight.set_data(torch::empty({0}));
  }
}

Tensor PackedLinear::forward(const Tensor& x) const {
  return onednn::linear(x, weight_, bias_);
}

Tensor PackedLinear::gelu(const Tensor& x) const {
  return onednn::linear(x, weight_, bias_, "gelu");
}

Tensor PackedLinear::plus(const Tensor& x, const Tensor& other) const {
  return onednn::linear_plus(x, other, weight_, bias_);
}

}  // namespace epochcast::libtorch
