#include "src/training/torch/kernels/convolution.hpp"

#include <array>

#include "src/training/torch/kernels/choice.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr Kernel weight_gradient_of_convolution{"convolution_weight_gradient", "libtorch",
                                                "matrix_product"};
constexpr Kernel weight_gradient_of_transposed{"transposed_weight_gradient", "libtorch",
                                               "matrix_product"};
constexpr Kernel transposed_convolution{"transposed_convolution", "libtorch", "parity"};
constexpr Kernel input_gradient_of_convolution{"convolution_input_gradient", "libtorch", "parity"};

/// Filters from which a weight gradient by matrix product may be faster.
constexpr std::size_t least_weight_bytes_measured = 1 << 18;
/// Where nothing is measured: about the size of a core's second-level cache.
constexpr std::size_t least_weight_bytes_by_default = 2 << 20;

/// Number of images that are unfolded at a time, so that their patches take tens of MB instead of a
/// GB.
constexpr std::int64_t images_at_once = 32;

/// Whether the convolution halves the height and the width (transposed: doubles them) with 4 × 4
/// taps.
bool halves(const Tensor& weight, const ConvolutionShape& shape) {
  return weight.size(2) == 4 && weight.size(3) == 4 && shape.stride == 2 && shape.padding == 1;
}

/// The 4 × 4 taps of `weight` (in, out, 4, 4) as those of four filters of 2 × 2 taps: (4 · out, in,
/// 2, 2). The transposed convolution computes row 2m of its output from the rows m - 1 and m of its
/// input with the taps 3 and 1, and row 2m + 1 from the rows m and m + 1 with the taps 2 and 0;
/// columns alike.
Tensor parity_filters(const Tensor& weight) {
  static const auto taps = torch::tensor({3, 1, 2, 0}, torch::kLong);
  const auto in = weight.size(0);
  const auto out = weight.size(1);
  return weight.index_select(2, taps)
      .index_select(3, taps)
      .view({in, out, 2, 2, 2, 2})
      .permute({2, 4, 1, 0, 3, 5})
      .reshape({4 * out, in, 2, 2});
}

/// The transposed convolution of a shape that halves(), as one convolution with stride 1.
/// LibTorch's own is slow where few channels come out: 17 GFLOP/s for 3 channels on a core pair
/// that computes 215 GFLOP/s with 64.
Tensor transposed_by_parity(const Tensor& input, const Tensor& weight) {
  const auto images = input.size(0);
  const auto channels = weight.size(1);
  const auto height = input.size(2);
  const auto width = input.size(3);
  const auto windows = at::conv2d(input, parity_filters(weight), {}, 1, 1)
                           .view({images, 2, 2, channels, height + 1, width + 1});
  auto output = torch::empty({images, channels, height, 2, width, 2}, windows.options());
  for (const std::int64_t odd_row : {0, 1}) {
    for (const std::int64_t odd_column : {0, 1}) {
      output.select(5, odd_column)
          .select(3, odd_row)
          .copy_(windows.select(1, odd_row)
                     .select(1, odd_column)
                     .slice(2, odd_row, odd_row + height)
                     .slice(3, odd_column, odd_column + width));
    }
  }
  return output.view({images, channels, 2 * height, 2 * width});
}

Tensor forward_convolution(const Tensor& input, const Tensor& weight,
                           const ConvolutionShape& shape) {
  return at::convolution(
      input, weight, /*bias=*/{}, {shape.stride, shape.stride}, {shape.padding, shape.padding},
      /*dilation=*/{1, 1}, shape.transposed, /*output_padding=*/{0, 0}, /*groups=*/1);
}

/// LibTorch's gradients of the input and of the weight, those that are wanted.
std::pair<Tensor, Tensor> library_gradients(const Tensor& gradient, const Tensor& input,
                                            const Tensor& weight, const ConvolutionShape& shape,
                                            bool of_input, bool of_weight) {
  auto [input_gradient, weight_gradient, bias_gradient] = at::convolution_backward(
      gradient, input, weight, /*bias_sizes=*/at::OptionalIntArrayRef(),
      {shape.stride, shape.stride}, {shape.padding, shape.padding}, /*dilation=*/{1, 1},
      shape.transposed, /*output_padding=*/{0, 0}, /*groups=*/1,
      /*output_mask=*/{of_input, of_weight, false});
  return {std::move(input_gradient), std::move(weight_gradient)};
}

/// The patches of `images` (N, C, H, W) under the taps, one patch per row, in the element order of
/// a channels_last filter.
Tensor unfolded(const Tensor& images, std::int64_t taps, const ConvolutionShape& shape) {
  const auto p = shape.padding;
  const auto padded = at::constant_pad_nd(images.permute({0, 2, 3, 1}), {0, 0, p, p, p, p});
  return padded.unfold(1, taps, shape.stride)
      .unfold(2, taps, shape.stride)
      .permute({0, 1, 2, 4, 5, 3})
      .reshape({-1, taps * taps * images.size(1)});
}

/// Multiplies each element of `small` by the patch of `large` that it was computed from (if
/// transposed: the patch that it contributed to) and sums the products.
Tensor correlated(const Tensor& small, const Tensor& large, const Tensor& weight,
                  const ConvolutionShape& shape) {
  const auto taps = weight.size(2);
  auto product = torch::empty({weight.size(0), taps * taps * weight.size(1)}, weight.options());
  for (std::int64_t first = 0; first < small.size(0); first += images_at_once) {
    const auto rows = small.slice(0, first, first + images_at_once)
                          .permute({0, 2, 3, 1})
                          .reshape({-1, small.size(1)});
    const auto patches = unfolded(large.slice(0, first, first + images_at_once), taps, shape);
    product.addmm_(rows.t(), patches, /*beta=*/first == 0 ? 0 : 1);
  }
  return product.view({weight.size(0), taps, taps, weight.size(1)}).permute({0, 3, 1, 2});
}

Tensor weight_gradient_by_product(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                                  const ConvolutionShape& shape) {
  return shape.transposed ? correlated(input, gradient, weight, shape)
                          : correlated(gradient, input, weight, shape);
}

/// Of a transposed convolution, or of the input gradient of a convolution, which is one.
bool parity_is_faster(const Kernel& kernel, const Tensor& input, const Tensor& weight,
                      const ConvolutionShape& shape, const std::function<void()>& library) {
  if (!halves(weight, shape) || input.scalar_type() != torch::kFloat ||
      weight.scalar_type() != torch::kFloat) {
    return false;
  }
  const SizedKernel sized{
      kernel, {input.size(0), input.size(1), input.size(2), input.size(3), weight.size(1)}};
  return other_is_faster(sized, /*by_default=*/false, library,
                         [&] { transposed_by_parity(input, weight); });
}

bool product_is_faster(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                       const ConvolutionShape& shape) {
  if (weight.nbytes() < least_weight_bytes_measured) {
    return false;
  }
  const SizedKernel kernel{
      shape.transposed ? weight_gradient_of_transposed : weight_gradient_of_convolution,
      {input.size(0), input.size(1), input.size(2), input.size(3), gradient.size(1), weight.size(2),
       shape.stride}};
  return other_is_faster(
      kernel, weight.nbytes() >= least_weight_bytes_by_default,
      [&] { library_gradients(gradient, input, weight, shape, false, true); },
      [&] { weight_gradient_by_product(gradient, input, weight, shape); });
}

class Convolution : public torch::autograd::Function<Convolution> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        std::int64_t stride, std::int64_t padding, bool transposed) {
    context->save_for_backward({input, weight});
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["transposed"] = transposed;
    const ConvolutionShape shape{stride, padding, transposed};
    const bool by_parity =
        transposed && parity_is_faster(transposed_convolution, input, weight, shape,
                                       [&] { forward_convolution(input, weight, shape); });
    return by_parity ? transposed_by_parity(input, weight)
                     : forward_convolution(input, weight, shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& [input, weight] = std::tie(saved[0], saved[1]);
    const ConvolutionShape shape{context->saved_data["stride"].toInt(),
                                 context->saved_data["padding"].toInt(),
                                 context->saved_data["transposed"].toBool()};
    const auto& gradient = gradients[0];
    const bool wants_input = context->needs_input_grad(0);
    const bool wants_weight = context->needs_input_grad(1);
    const bool by_product = wants_weight && product_is_faster(gradient, input, weight, shape);
    const bool by_parity =
        wants_input && !shape.transposed &&
        parity_is_faster(input_gradient_of_convolution, gradient, weight, shape,
                         [&] { library_gradients(gradient, input, weight, shape, true, false); });
    Tensor of_input;
    Tensor of_weight;
    if ((wants_input && !by_parity) || (wants_weight && !by_product)) {
      std::tie(of_input, of_weight) = library_gradients(
          gradient, input, weight, shape, wants_input && !by_parity, wants_weight && !by_product);
    }
    if (by_parity) {
      of_input = transposed_by_parity(gradient, weight);
    }
    if (by_product) {
      of_weight = weight_gradient_by_product(gradient, input, weight, shape);
    }
    return {of_input, of_weight, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor convolve(const torch::Tensor& input, const torch::Tensor& weight,
                       const ConvolutionShape& shape) {
  if (!input.is_cpu() ||
      (weight.nbytes() < least_weight_bytes_measured && !halves(weight, shape))) {
    return forward_convolution(input, weight, shape);
  }
  return Convolution::apply(input, weight, shape.stride, shape.padding, shape.transposed);
}

}  // namespace epochcast::libtorch
