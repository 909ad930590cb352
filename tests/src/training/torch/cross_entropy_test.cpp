#include "src/training/torch/kernels/cross_entropy.hpp"

#include <gtest/gtest.h>

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

struct Result {
  Tensor loss;
  Tensor gradient;
};

Result result_of(const Tensor& logits, const Tensor& labels, Procedure procedure) {
  const auto input = logits.detach().clone().requires_grad_();
  const auto loss = summed_cross_entropy(input, labels, procedure);
  (loss * 0.25).backward();
  return {loss.detach(), input.grad()};
}

class CrossEntropySizes : public testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(CrossEntropySizes, IsThatOfLibTorchInDoublePrecision) {
  torch::manual_seed(5);
  const auto [samples, classes] = GetParam();
  const auto logits = torch::randn({samples, classes}) * 30;  // exp of the largest would overflow
  const auto labels = torch::randint(classes, {samples}, torch::kLong);
  const auto exact = result_of(logits.to(torch::kDouble), labels, Procedure::reference);
  for (const auto procedure : {Procedure::optimized, Procedure::reference}) {
    const auto found = result_of(logits, labels, procedure);
    EXPECT_EQ(found.loss.dim(), 0);
    EXPECT_NEAR(found.loss.item<double>(), exact.loss.item<double>(),
                1e-6 * (1 + exact.loss.item<double>()));
    EXPECT_TRUE(torch::allclose(found.gradient.to(torch::kDouble), exact.gradient, 1e-5, 1e-7));
  }
}

INSTANTIATE_TEST_SUITE_P(FewAndMany, CrossEntropySizes,
                         testing::Values(std::pair{100, 2}, std::pair{1, 1}, std::pair{7, 10},
                                         std::pair{500, 10}));

TEST(CrossEntropy, RefusesALabelThatIsNoClass) {
  const auto logits = torch::randn({3, 4});
  for (const std::int64_t label : {-1, 4}) {
    const auto labels = torch::tensor({std::int64_t(0), label, std::int64_t(3)});
    EXPECT_THROW(summed_cross_entropy(logits, labels, Procedure::optimized), c10::Error);
    EXPECT_THROW(summed_cross_entropy(logits, labels, Procedure::reference), c10::Error);
  }
}

}  // namespace
}  // namespace epochcast::libtorch
