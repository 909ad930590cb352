#include "src/torch/kernels/linear.hpp"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

#include "src/torch/kernels/onednn.hpp"
#include "src/torch/kernels/transpose_tile.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Below this number of FLOP, oneDNN's overhead around a product exceeds its gain (1 and 2 threads
/// of an AMD EPYC with AVX-512: equal at 2 to 6 million FLOP, 2.1 times as fast from 100 million
/// on).
constexpr double least_flops = 8e6;

bool onednn_is_faster(const Tensor& x, std::int64_t outputs) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat &&
         2 * double(x.numel()) * double(outputs) >= least_flops && onednn::is_possible();
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

Tensor rows_of(const Tensor& x) {
  return x.reshape({-1, x.size(-1)});
}

struct OnednnLinear : torch::autograd::Function<OnednnLinear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    context->save_for_backward({x, weight});
    return onednn::linear(x, weight, bias);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    const auto saved = context->get_saved_variables();
    const auto& x = saved[0];
    const auto gradient = rows_of(gradients.front());
    variable_list wanted(3);
    if (context->needs_input_grad(0)) {
      wanted[0] = product(gradient, saved[1]).view(x.sizes());
    }
    wanted[1] = linear_weight_gradient(gradient, rows_of(x));
    wanted[2] = gradient.sum(0);
    return wanted;
  }
};

}  // namespace

Tensor linear_values(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return onednn_is_faster(x, weight.size(0)) ? onednn::linear(x, weight, bias)
                                             : at::addmm(bias, x, weight.t());
}

Tensor product(const Tensor& a, const Tensor& b) {
  return onednn_is_faster(a, b.size(1)) ? onednn::linear(a, b.t(), {}) : a.mm(b);
}

Tensor linear_weight_gradient(const Tensor& gradient, const Tensor& x) {
  return onednn_is_faster(gradient, x.size(1)) ? onednn::linear(transposed(gradient), x.t(), {})
                                               : gradient.t().mm(x);
}

Tensor linear(const torch::nn::Linear& layer, const Tensor& x, Procedure procedure) {
  const bool onednn = procedure == Procedure::optimized && layer->bias.defined() &&
                      layer->weight.scalar_type() == torch::kFloat &&
                      onednn_is_faster(x, layer->weight.size(0)) &&
                      !at::autocast::is_autocast_enabled(at::kCPU);
  return onednn ? OnednnLinear::apply(x, layer->weight, layer->bias)
                : torch::linear(x, layer->weight, layer->bias);
}

}  // namespace epochcast::libtorch
