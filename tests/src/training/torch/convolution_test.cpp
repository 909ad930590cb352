// The convolution of the fast procedure against LibTorch's own.
#include "src/training/torch/kernels/convolution.hpp"

#include <gtest/gtest.h>

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

struct ConvolutionCase {
  std::int64_t in, out, size, taps;
  ConvolutionShape shape;
};

Tensor plain_convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape) {
  return shape.transposed ? torch::conv_transpose2d(x, weight, {}, shape.stride, shape.padding)
                          : torch::conv2d(x, weight, {}, shape.stride, shape.padding);
}

Tensor random_leaf(const std::vector<std::int64_t>& sizes, bool channels_last) {
  auto tensor = torch::randn(sizes, torch::kDouble);
  if (channels_last) {
    tensor = tensor.contiguous(at::MemoryFormat::ChannelsLast);
  }
  return tensor.requires_grad_();
}

TEST(Convolution, GivesLibTorchsOutputAndGradients) {
  torch::manual_seed(3);
  for (const auto& [in, out, size, taps, shape] : std::vector<ConvolutionCase>{
           {128, 128, 4, 4, {.stride = 2, .padding = 1}},
           {128, 128, 3, 4, {.stride = 2, .padding = 1, .transposed = true}},
           {256, 128, 1, 4, {.stride = 1, .padding = 0, .transposed = true}},
           {192, 160, 5, 3, {.stride = 1, .padding = 1}},
           {3, 8, 8, 4, {.stride = 2, .padding = 1}},  // small enough to be left to LibTorch
       }) {
    for (const bool channels_last : {false, true}) {
      // More images than are unfolded at once, and not a multiple of them.
      const auto x = random_leaf({35, in, size, size}, channels_last);
      const auto weight = shape.transposed ? random_leaf({in, out, taps, taps}, channels_last)
                                           : random_leaf({out, in, taps, taps}, channels_last);
      const auto expected = plain_convolution(x, weight, shape);
      const auto ours = convolve(x, weight, shape);
      EXPECT_TRUE(torch::allclose(ours, expected));
      const auto gradient = torch::randn_like(expected);
      const auto expected_gradients = torch::autograd::grad({expected}, {x, weight}, {gradient});
      const auto our_gradients = torch::autograd::grad({ours}, {x, weight}, {gradient});
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(torch::allclose(our_gradients[i], expected_gradients[i], 1e-9, 1e-9))
            << in << " to " << out
            << (i == 0 ? ", gradient of the input" : ", gradient of the weight");
      }
    }
  }
}

}  // namespace
}  // namespace epochcast::libtorch
