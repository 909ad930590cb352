// Training on the simulated device: the losses of the CPU, and no step that waits for the device.
#include <gmock/gmock.h>

#include "tests/gpu/simulated_gpu.hpp"

namespace epochcast {
namespace {

using Case = std::tuple<SmallModel, std::string, std::string>;

class SimulatedLosses : public SimulatedGpu, public testing::WithParamInterface<Case> {};

/// Half precision has other kernels for attention on the CPU than on a device.
TEST_P(SimulatedLosses, AreThoseOfTheCpu) {
  const auto& [model, procedure, precision] = GetParam();
  Words more{"--procedure=" + procedure};
  if (precision != "fp32") {
    more.push_back("--precision=" + precision);
  }
  train("cpu", model, "p", 2, more);
  const auto on_gpu = train("cuda", model, "p", 2, more);
  expect_near(record("p", "cuda"), record("p", "cpu"), precision == "fp32" ? 1e-6 : 1e-3);
  EXPECT_GT(counted(on_gpu, "operators"), 100);
  for (const auto& step : record("p", "cuda").iterations) {
    EXPECT_GT(step.device_s, 0);
  }
}

/// A batch that is laid out anew is copied on the device.
class SimulatedLayout : public SimulatedGpu, public testing::WithParamInterface<SmallModel> {
 protected:
  /// Of a run at the point "sm" and `architecture`.
  long copies(const std::string& architecture) {
    const auto result = run(on("cuda", GetParam(), "sm" + architecture, 2, {"--cuda_graphs=false"}),
                            "cuda", {{"SIMULATED_CUDA_SM", architecture}});
    EXPECT_EQ(result.status, 0) << result.err;
    return counted(result, "copies");
  }
};

TEST_P(SimulatedLayout, IsThatOfTensorCoresOnlyWhereTheyCompute) {
  EXPECT_LT(copies("75"), copies("80"));
  EXPECT_EQ(record("sm75", "cuda").work.front().precision.view(), "fp32");
  EXPECT_EQ(record("sm80", "cuda").work.front().precision.view(), "fp32+tf32-conv");
  train("cpu", GetParam(), "sm75", 2);
  expect_near(record("sm75", "cuda"), record("sm75", "cpu"), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, SimulatedLayout, testing::Values(small_wide_resnet, small_dcgan));

const auto procedures = testing::Values("optimized", "reference");
INSTANTIATE_TEST_SUITE_P(Classifiers, SimulatedLosses,
                         testing::Combine(testing::Values(small_mlp, small_wide_resnet,
                                                          small_distilbert, small_deit),
                                          procedures, testing::Values("fp32", "bf16", "fp16")));
INSTANTIATE_TEST_SUITE_P(Pair, SimulatedLosses,
                         testing::Combine(testing::Values(small_dcgan), procedures,
                                          testing::Values("fp32")));

class SimulatedWaits : public SimulatedGpu, public testing::WithParamInterface<SmallModel> {
 protected:
  /// Of `steps` steps of one epoch, with all that comes before and after them.
  long waits(int steps, const Words& more = {}) {
    auto all = more;
    all.push_back("--dataset.samples=" + std::to_string(2 * steps));
    const auto result = train("cuda", GetParam(), "steps" + std::to_string(steps), 1, all);
    EXPECT_GE(counted(result, "without waiting"), 2 * steps) << "batches are copied";
    EXPECT_EQ(counted(result, "not pinned"), 0);
    return counted(result, "waits");
  }
};

TEST_P(SimulatedWaits, NoneInAStep) {
  EXPECT_EQ(waits(3), waits(7));
}

INSTANTIATE_TEST_SUITE_P(Models, SimulatedWaits,
                         testing::Values(small_mlp, small_wide_resnet, small_distilbert, small_deit,
                                         small_dcgan));

using SimulatedHalfPrecision = SimulatedWaits;

TEST_P(SimulatedHalfPrecision, WaitsOnceAStepForWhetherTheGradientsAreFinite) {
  EXPECT_EQ(waits(7, {"--precision=fp16"}) - waits(3, {"--precision=fp16"}), 4);
  EXPECT_EQ(waits(9, {"--precision=bf16"}), waits(5, {"--precision=bf16"}));
}

INSTANTIATE_TEST_SUITE_P(Models, SimulatedHalfPrecision, testing::Values(small_mlp));

}  // namespace
}  // namespace epochcast
