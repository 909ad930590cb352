#include "src/training/torch/kernels/linear.hpp"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

#include "src/training/torch/kernels/choice.hpp"
#include "src/training/torch/kernels/onednn.hpp"
#include "src/training/torch/kernels/transpose_tile.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::string_view mkl = "mkl";  // of LibTorch's wheels; another build may have OpenBLAS
constexpr std::string_view onednn_name = "onednn";
constexpr Kernel linear_kernel{"linear", mkl, onednn_name};
constexpr Kernel product_kernel{"matrix_product", mkl, onednn_name};
constexpr Kernel weight_gradient_kernel{"linear_weight_gradient", mkl, onednn_name};

/// Below this number of FLOP, oneDNN's overhead around a product exceeds any gain; above, the
/// faster one is measured.
constexpr double least_flops_measured = 2e6;
/// From here on oneDNN is used where nothing is measured (1 and 2 threads of an AMD EPYC with
/// AVX-512: equal at 2 to 6 million FLOP, 2.1 times as fast from 100 million on).
constexpr double least_flops_by_default = 8e6;

double flops_of(const Tensor& x, std::int64_t outputs) {
  return 2 * double(x.numel()) * double(outputs);
}

bool may_use_onednn(const Tensor& x, std::int64_t outputs) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat &&
         flops_of(x, outputs) >= least_flops_measured && onednn::is_possible();
}

/// The sum over `inner` of products for every row and output: by the faster of two libraries.
template <class Usual, class Other>
Tensor faster_of(const Kernel& kernel, const Tensor& x, std::int64_t outputs, Usual&& usual,
                 Other&& other) {
  if (!may_use_onednn(x, outputs)) {
    return usual();
  }
  const SizedKernel sized{kernel, {rounded_up(x.numel() / x.size(-1)), x.size(-1), outputs}};
  return other_is_faster(sized, flops_of(x, outputs) >= least_flops_by_default, usual, other)
             ? other()
             : usual();
}

/// A contiguous transpose of a matrix (rows, columns) in single precision. LibTorch's own copy uses
/// one thread and takes seven times as long.
Tensor transposed(const Tensor& matrix) {
  const auto contiguous = matrix.contiguous();
  const auto rows = contiguous.size(0);
  const auto columns = contiguous.size(1);
  auto result = at::empty({columns, rows}, contiguous.options());
  const auto* from = contiguous.const_data_ptr<float>();
  auto* to = result.mutable_data_ptr<float>();
  at::parallel_for(
      0, (columns + tile_size - 1) / tile_size, 1, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = 0; row < rows; row += tile_size) {
          for (auto column = first * tile_size; column < std::min(last * tile_size, columns);
               column += tile_size) {
            transpose_tile(from + row * columns + column, columns, to + column * rows + row, rows,
                           std::min(tile_size, rows - row), std::min(tile_size, columns - column));
          }
        }
      });
  return result;
}

Tensor matrix_rows(const Tensor& x) {
  return x.reshape({-1, x.size(-1)});
}

struct FasterLinear : torch::autograd::Function<FasterLinear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    context->save_for_backward({x, weight});
    auto sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    return linear_values(matrix_rows(x), weight, bias).view(sizes);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    const auto saved = context->get_saved_variables();
    const auto& x = saved[0];
    const auto gradient = matrix_rows(gradients.front());
    variable_list wanted(3);
    if (context->needs_input_grad(0)) {
      wanted[0] = product(gradient, saved[1]).view(x.sizes());
    }
    wanted[1] = linear_weight_gradient(gradient, matrix_rows(x));
    wanted[2] = gradient.sum(0);
    return wanted;
  }
};

}  // namespace

Tensor linear_values(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return faster_of(
      linear_kernel, x, weight.size(0), [&] { return at::addmm(bias, x, weight.t()); },
      [&] { return onednn::linear(x, weight, bias); });
}

Tensor product(const Tensor& a, const Tensor& b) {
  return faster_of(
      product_kernel, a, b.size(1), [&] { return a.mm(b); },
      [&] { return onednn::linear(a, b.t(), {}); });
}

Tensor linear_weight_gradient(const Tensor& gradient, const Tensor& x) {
  return faster_of(
      weight_gradient_kernel, gradient, x.size(1), [&] { return gradient.t().mm(x); },
      [&] { return onednn::linear(transposed(gradient), x.t(), {}); });
}

Tensor linear(const torch::nn::Linear& layer, const Tensor& x, Procedure procedure) {
  const bool faster = procedure == Procedure::optimized && layer->bias.defined() &&
                      layer->weight.scalar_type() == torch::kFloat &&
                      may_use_onednn(x, layer->weight.size(0)) &&
                      !at::autocast::is_autocast_enabled(at::kCPU);
  return faster ? FasterLinear::apply(x, layer->weight, layer->bias)
                : torch::linear(x, layer->weight, layer->bias);
}

}  // namespace epochcast::libtorch
