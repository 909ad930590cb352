// The operators are those that torch.compile's freezing puts for linear layers on a CPU; no header
// declares them. Source of their signatures:
// aten/src/ATen/native/mkldnn/RegisterMkldnnOpContextClass.cpp (PyTorch 2.7 and 2.11).
#include "src/torch/packed_linear.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

namespace epochcast {
namespace {

using torch::Tensor;
using MaybeTensor = std::optional<Tensor>;
using Scalars = c10::List<std::optional<at::Scalar>>;
using ReorderOperator = Tensor(const Tensor& weight, std::optional<std::int64_t> rows);
using LinearOperator = Tensor(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                              std::string_view follows, Scalars numbers,
                              std::optional<std::string_view> kind);
using LinearPlusOperator = Tensor(const Tensor& x, const Tensor& other, const Tensor& weight,
                                  const MaybeTensor& bias, std::string_view follows);

template <class Signature>
auto operator_called(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

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

bool PackedLinear::is_possible() {
  return at::globalContext().userEnabledMkldnn() && at::hasMKLDNN() &&
         c10::Dispatcher::singleton()
             .findSchema({"mkldnn::_linear_pointwise", "binary"})
             .has_value();
}

PackedLinear::PackedLinear(const std::vector<torch::nn::Linear>& layers, const Tensor& scale) {
  const torch::NoGradGuard no_grad;
  static const auto reorder = operator_called<ReorderOperator>("mkldnn::_reorder_linear_weight");
  weight_ = reorder.call(side_by_side(layers, &torch::nn::LinearImpl::weight, scale), std::nullopt);
  bias_ = side_by_side(layers, &torch::nn::LinearImpl::bias, scale);
}

Tensor PackedLinear::with(std::string_view follows, const Tensor& x) const {
  static const auto linear = operator_called<LinearOperator>("mkldnn::_linear_pointwise");
  return linear.call(x, weight_, bias_, follows, Scalars(), "none");
}

Tensor PackedLinear::plus(const Tensor& x, const Tensor& other) const {
  static const auto linear =
      operator_called<LinearPlusOperator>("mkldnn::_linear_pointwise", "binary");
  return linear.call(x, other, weight_, bias_, "add");
}

}  // namespace epochcast
