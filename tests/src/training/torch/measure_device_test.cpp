// The probe of the machine that the tests run on: its rates cannot be known, only what they must
// obey.
#include "src/training/torch/profile/measure_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/forecast/device/device.hpp"
#include "src/training/torch/base/torch.hpp"
#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

TEST(MeasureDevice, MeasuresTheCpuAndDescribesItForTheCatalogue) {
  const auto device = measure_device({.device = "cpu", .threads = 1, .budget = {0.5}});
  const auto& figures = device.figures;
  // A core does 0.01 to 0.2 TFLOPS and moves 5 to 50 GB/s; a hundredth of that on a machine that
  // others keep busy.
  EXPECT_GT(figures.achieved_fp32_tflops.value, 1e-4);
  EXPECT_LT(figures.achieved_fp32_tflops.value, 10);
  EXPECT_GT(figures.achieved_conv_fp32_tflops.value, 1e-5);
  EXPECT_GT(figures.achieved_bandwidth_gb_s.value, 0.05);
  EXPECT_LT(figures.achieved_bandwidth_gb_s.value, 2000);
  EXPECT_THAT(device.names, testing::Not(testing::IsEmpty()));
  EXPECT_FALSE(figures.fp32_tflops.known()) << "a peak cannot be measured";

  const TemporaryFolder folder;
  set_bytes(folder / "measured.yaml", device::device_yaml(device, "made by a test"));
  const auto again = device::read_device(folder / "measured.yaml");
  EXPECT_EQ(again.label, device.label);
  EXPECT_EQ(again.names, device.names);
  EXPECT_EQ(again.figures.achieved_fp32_tflops.value, figures.achieved_fp32_tflops.value);
  EXPECT_EQ(again.figures.achieved_fp32_tflops.source, figures.achieved_fp32_tflops.source);
}

TEST(MeasureDevice, MeasuresWhatWakingAThreadCosts) {
  const auto alone = measure_device({.device = "cpu", .threads = 1, .budget = {0.1}});
  EXPECT_FALSE(alone.figures.thread_wake_us.known()) << "one thread wakes none";
  const auto two = measure_device({.device = "cpu", .threads = 2, .budget = {0.5}});
  // A barrier between two cores takes at least some 0.1 us; a busy machine has to wait for a CPU.
  EXPECT_GT(two.figures.thread_wake_us.value, 0.01);
  EXPECT_LT(two.figures.thread_wake_us.value, 1e6);
  EXPECT_EQ(two.figures.thread_wake_us.source, two.figures.achieved_fp32_tflops.source);
  EXPECT_EQ(at::get_num_threads(), 2);
}

TEST(MeasureDevice, NeverFallsBackToTheCpu) {
  if (torch::cuda::is_available()) {
    GTEST_SKIP() << "this machine has a GPU";
  }
  EXPECT_THROW(measure_device({.device = "cuda", .threads = 1}), RunError);
}

}  // namespace
}  // namespace epochcast::libtorch
