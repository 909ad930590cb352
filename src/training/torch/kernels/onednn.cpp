// These operators are the ones that torch.compile's freezing inserts for linear layers on a CPU. No
// header declares them. Source of their signatures:
// aten/src/ATen/native/mkldnn/RegisterMkldnnOpContextClass.cpp (PyTorch 2.7 and 2.11).
#include "src/training/torch/kernels/onednn.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdlib>

namespace epochcast::libtorch::onednn {
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

MaybeTensor maybe(const Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : std::nullopt;
}

}  // namespace

bool is_possible() {
  static const bool has_operators =
      at::hasMKLDNN() &&
      c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", "binary"}).has_value();
  return has_operators && at::globalContext().userEnabledMkldnn();
}

void keep_few_shapes() {
  // LibTorch has no other way to set them. A pass of a transformer needs seven shapes: there
  // is room for four passes. With room for two, answers took 7 % more CPU time.
  constexpr const char* shapes = "32";
  constexpr int keep_what_is_set = 0;
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", shapes, keep_what_is_set);
  setenv("LRU_CACHE_CAPACITY", shapes, keep_what_is_set);
}

Tensor packed(const Tensor& weight) {
  static const auto reorder = operator_called<ReorderOperator>("mkldnn::_reorder_linear_weight");
  return reorder.call(weight, std::nullopt);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, std::string_view follows) {
  static const auto call = operator_called<LinearOperator>("mkldnn::_linear_pointwise");
  return call.call(x, weight, maybe(bias), follows, Scalars(), "none");
}

Tensor linear_plus(const Tensor& x, const Tensor& other, const Tensor& weight, const Tensor& bias) {
  static const auto call =
      operator_called<LinearPlusOperator>("mkldnn::_linear_pointwise", "binary");
  return call.call(x, other, weight, maybe(bias), "add");
}

}  // namespace epochcast::libtorch::onednn
