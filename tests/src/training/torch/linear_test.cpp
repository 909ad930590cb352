#include "src/training/torch/kernels/linear.hpp"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "src/training/torch/kernels/onednn.hpp"
#include "src/training/torch/profile/counting.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

/// One for oneDNN, with edges that no tile divides, and one too small for it.
struct Shape {
  std::vector<std::int64_t> x;  ///< The last is the layer's inputs.
  std::int64_t outputs;
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << torch::IntArrayRef(shape.x) << " to " << shape.outputs;
}

/// Values and the gradients of x, weight and bias.
std::vector<Tensor> results_of(torch::nn::Linear layer, const Tensor& x, const Tensor& gradient,
                               Procedure procedure) {
  layer->zero_grad();
  const auto input = x.detach().requires_grad_();
  const auto values = linear(layer, input, procedure);
  values.backward(gradient);
  return {values.detach(), input.grad(), layer->weight.grad(), layer->bias.grad()};
}

/// The same in double precision, by nn::Linear.
std::vector<Tensor> exactly(const torch::nn::Linear& layer, const Tensor& x,
                            const Tensor& gradient) {
  torch::nn::Linear exact(layer->options);
  exact->to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  exact->weight.copy_(layer->weight);
  exact->bias.copy_(layer->bias);
  const torch::AutoGradMode with_gradients(true);
  return results_of(exact, x.to(torch::kDouble), gradient.to(torch::kDouble), Procedure::reference);
}

void expect_close(const std::vector<Tensor>& found, const std::vector<Tensor>& exact) {
  ASSERT_EQ(found.size(), exact.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].sizes(), exact[i].sizes());
    const double scale = exact[i].abs().max().item<double>();
    EXPECT_LE((found[i] - exact[i]).abs().max().item<double>(), 1e-5 * scale) << "number " << i;
  }
}

/// Whether the layer is computed by the faster of two libraries: autograd's name of that function
/// is in the graph.
bool by_faster_library(const Tensor& values) {
  return values.grad_fn()->name().find("FasterLinear") != std::string::npos;
}

class LinearShapes : public testing::TestWithParam<Shape> {};

TEST_P(LinearShapes, ValuesAndGradientsAreThoseInDoublePrecision) {
  torch::manual_seed(3);
  const auto& [sizes, outputs] = GetParam();
  const torch::nn::Linear layer(sizes.back(), outputs);
  const auto x = torch::randn(sizes);
  auto out_sizes = sizes;
  out_sizes.back() = outputs;
  const auto gradient = torch::randn(out_sizes);
  const auto exact = exactly(layer, x, gradient);
  expect_close(results_of(layer, x, gradient, Procedure::optimized), exact);
  expect_close(results_of(layer, x, gradient, Procedure::reference), exact);
}

INSTANTIATE_TEST_SUITE_P(All, LinearShapes,
                         testing::Values(Shape{{100, 200}, 300}, Shape{{4, 67, 129}, 131},
                                         Shape{{1, 5000}, 900}, Shape{{3, 5, 7}, 11},
                                         Shape{{2, 3, 31, 129}, 257}));

TEST(Linear, TakesTheFasterLibraryForLargeLayersOfTheOptimizedProcedureOnly) {
  if (!onednn::is_possible()) {
    GTEST_SKIP() << "this LibTorch has no oneDNN";
  }
  const torch::nn::Linear large(512, 512);
  const auto x = torch::randn({64, 512});
  EXPECT_TRUE(by_faster_library(linear(large, x, Procedure::optimized)));
  EXPECT_FALSE(by_faster_library(linear(large, x, Procedure::reference)));
  EXPECT_FALSE(by_faster_library(linear(large, x.narrow(0, 0, 1), Procedure::optimized)));
  const torch::nn::Linear without_bias(torch::nn::LinearOptions(512, 512).bias(false));
  EXPECT_FALSE(by_faster_library(linear(without_bias, x, Procedure::optimized)));
}

TEST(Linear, TakesEveryOtherTokenToo) {  // what a part of a tensor has for strides
  torch::manual_seed(4);
  const torch::nn::Linear layer(256, 512);
  const auto x = torch::randn({8, 40, 256}).slice(1, 0, 40, 2);
  const auto gradient = torch::randn({20, 8, 512}).transpose(0, 1);
  expect_close(results_of(layer, x, gradient, Procedure::optimized), exactly(layer, x, gradient));
}

TEST(Linear, LeavesHalfPrecisionToAutocast) {
  const torch::nn::Linear layer(512, 512);
  const auto x = torch::randn({64, 512});
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const auto values = linear(layer, x, Procedure::optimized);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_EQ(values.scalar_type(), torch::kBFloat16);
}

TEST(Linear, KeepsTheCodeOfFewShapesUnlessToldOtherwise) {
  constexpr std::array names{"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"};
  for (const auto* name : names) {
    unsetenv(name);
  }
  setenv(names[1], "500", 1);
  onednn::keep_few_shapes();
  EXPECT_STREQ(std::getenv(names[0]), "32");
  EXPECT_STREQ(std::getenv(names[1]), "500");
  for (const auto* name : names) {
    unsetenv(name);
  }
}

TEST(Linear, IsCountedLikeLibTorchsOwn) {
  const torch::nn::Linear layer(300, 200);
  const auto x = torch::randn({10, 20, 300});
  const auto gradient = torch::randn({10, 20, 200});
  const auto count = [&](Procedure procedure) {
    return count_operators([&] { results_of(layer, x, gradient, procedure); });
  };
  EXPECT_EQ(count(Procedure::optimized).flops, 3 * 2.0 * 200 * 300 * 200);
  EXPECT_EQ(count(Procedure::reference).flops, count(Procedure::optimized).flops);
}

TEST(Linear, AnswersWithoutGradientsInInferenceMode) {
  const torch::nn::Linear layer(512, 512);
  const auto x = torch::randn({64, 512});
  const auto with_gradients = linear(layer, x, Procedure::optimized).detach();
  const c10::InferenceMode no_gradients;
  EXPECT_TRUE(torch::equal(linear(layer, x, Procedure::optimized), with_gradients));
}

}  // namespace
}  // namespace epochcast::libtorch
