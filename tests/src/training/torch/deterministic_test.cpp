// What LibTorch says of operators without a deterministic kernel, of which the CPU has few.
#include "src/training/torch/base/deterministic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/training/torch/run/workload.hpp"

namespace epochcast::libtorch {
namespace {

using testing::HasSubstr;

std::string printed_by_two_puts() {
  auto values = torch::zeros({4});
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    values.put_(torch::tensor({1, 1}), torch::tensor({1.F, 2.F}));
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Deterministic, AnOperatorWithoutADeterministicKernelIsNamedOnceAndNoted) {
  use_deterministic_kernels(true, "cpu");
  EXPECT_EQ(deterministic_note(), "");
  const auto printed = printed_by_two_puts();
  EXPECT_THAT(printed, HasSubstr("warning: deterministic: two runs may differ, because LibTorch "
                                 "has no deterministic kernel for: put_\n"));
  EXPECT_EQ(std::ranges::count(printed, '\n'), 1);
  EXPECT_THAT(deterministic_note(), testing::EndsWith("kernel for: put_"));

  use_deterministic_kernels(false, "cpu");
  EXPECT_EQ(printed_by_two_puts(), "");
  EXPECT_EQ(deterministic_note(), "");
}

TEST(Deterministic, OtherWarningsOfLibTorchArePrintedAsBefore) {
  use_deterministic_kernels(true, "cpu");
  testing::internal::CaptureStderr();
  TORCH_WARN("something else");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("something else"));
  EXPECT_EQ(deterministic_note(), "");
  use_deterministic_kernels(false, "cpu");
}

TEST(Deterministic, AttentionOnAGpuHasNoFusedKernel) {
  const auto fused = [](bool yes, const char* device) {
    use_deterministic_kernels(yes, device);
    const auto& context = at::globalContext();
    EXPECT_EQ(context.deterministicAlgorithms(), yes);
    EXPECT_EQ(context.deterministicCuDNN(), yes);
    EXPECT_EQ(context.userEnabledFlashSDP(), context.userEnabledMemEfficientSDP());
    EXPECT_EQ(context.userEnabledFlashSDP(), context.userEnabledCuDNNSDP());
    return context.userEnabledFlashSDP();
  };
  EXPECT_FALSE(fused(true, "cuda"));
  EXPECT_TRUE(fused(true, "cpu"));
  EXPECT_TRUE(fused(false, "cuda"));
}

TEST(Deterministic, ARunIsAskedForItAndStatesWhatItCannotDo) {
  run::RunConfig config;
  config.model = "mlp";
  config.dataset = "disc";
  config.dataset_options = {{"samples", "40"}};
  config.batch = 20;
  config.deterministic = true;
  const auto workload = make_workload(config, {}, 1);
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  printed_by_two_puts();
  EXPECT_THAT(workload->notes(), testing::Contains(HasSubstr("no deterministic kernel for: put_")));
  config.deterministic = false;
  (void)make_workload(config, {}, 1);
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
}

}  // namespace
}  // namespace epochcast::libtorch
