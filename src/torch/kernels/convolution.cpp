#include "src/torch/kernels/convolution.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Minimum filter size for which a weight gradient by matrix product is faster: about the size of a
/// core's second-level cache.
constexpr std::size_t large_weight_bytes = 2 << 20;

/// Number of images that are unfolded at a time, so that their patches take tens of MB instead of a
/// GB.
constexpr std::int64_t images_at_once = 32;

Tensor forward_convolution(const Tensor& input, const Tensor& weight,
                           const ConvolutionShape& shape) {
  return at::convolution(
      input, weight, /*bias=*/{}, {shape.stride, shape.stride}, {shape.padding, shape.padding},
      /*dilation=*/{1, 1}, shape.transposed, /*output_padding=*/{0, 0}, /*groups=*/1);
}

Tensor input_gradient(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                      const ConvolutionShape& shape) {
  return std::get<0>(at::convolution_backward(
      gradient, input, weight, /*bias_sizes=*/at::OptionalIntArrayRef(),
      {shape.stride, shape.stride}, {shape.padding, shape.padding}, /*dilation=*/{1, 1},
      shape.transposed, /*output_padding=*/{0, 0}, /*groups=*/1,
      /*output_mask=*/{true, false, false}));
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
Tensor weight_gradient(const Tensor& small, const Tensor& large, const Tensor& weight,
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

class ConvolutionByProduct : public torch::autograd::Function<ConvolutionByProduct> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        std::int64_t stride, std::int64_t padding, bool transposed) {
    context->save_for_backward({input, weight});
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["transposed"] = transposed;
    return forward_convolution(input, weight, {stride, padding, transposed});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& [input, weight] = std::tie(saved[0], saved[1]);
    const ConvolutionShape shape{context->saved_data["stride"].toInt(),
                                 context->saved_data["padding"].toInt(),
                                 context->saved_data["transposed"].toBool()};
    const auto& gradient = gradients[0];
    Tensor of_input;
    Tensor of_weight;
    if (context->needs_input_grad(0)) {
      of_input = input_gradient(gradient, input, weight, shape);
    }
    if (context->needs_input_grad(1)) {
      of_weight = shape.transposed ? weight_gradient(input, gradient, weight, shape)
                                   : weight_gradient(gradient, input, weight, shape);
    }
    return {of_input, of_weight, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor convolve(const torch::Tensor& input, const torch::Tensor& weight,
                       const ConvolutionShape& shape) {
  if (!input.is_cpu() || weight.nbytes() < large_weight_bytes) {
    return forward_convolution(input, weight, shape);
  }
  return ConvolutionByProduct::apply(input, weight, shape.stride, shape.padding, shape.transposed);
}

}  // namespace epochcast::libtorch
