// How fast a device works: from its datasheet under its power limit, and as measured.
#include "src/forecast/device/rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/src/forecast/device/made_device.hpp"

namespace epochcast::device {
namespace {

TEST(Rates, AddUpArithmeticAndMemoryWhereTheWorkWasCounted) {
  const Rates rates{.product_flop_s = 100, .convolution_flop_s = 200, .byte_s = 10};
  EXPECT_DOUBLE_EQ(time_at_s(rates, {.flops = 500, .convolution_flops = 200, .bytes = 20}), 6);
  const Rates twice{.product_flop_s = 200, .convolution_flop_s = 400, .byte_s = 20};
  EXPECT_DOUBLE_EQ(ratio_of(rates, twice, {.flops = 500, .bytes = 20}), 0.5);
}

TEST(Rates, AreWeightedByThePartsOfTheWork) {
  const Rates slow{.product_flop_s = 100, .convolution_flop_s = 100, .byte_s = 100};
  const Rates fast{.product_flop_s = 400, .convolution_flop_s = 100, .byte_s = 200};
  EXPECT_NEAR(ratio_of(slow, fast, {.flops = 1e6, .bytes = 1}), 0.25, 1e-5);
  EXPECT_NEAR(ratio_of(slow, fast, {.flops = 1, .bytes = 1e6}), 0.5, 1e-5);
  EXPECT_NEAR(ratio_of(slow, fast, {.flops = 1e6, .convolution_flops = 1e6, .bytes = 1}), 1, 1e-5);
}

TEST(Rates, UseTheGeometricMeanWhereNothingWasCounted) {
  const Rates slow{.product_flop_s = 100, .convolution_flop_s = 100, .byte_s = 100};
  const Rates fast{.product_flop_s = 400, .convolution_flop_s = 400, .byte_s = 100};
  EXPECT_DOUBLE_EQ(ratio_of(slow, fast, {}), 0.5);
  EXPECT_DOUBLE_EQ(ratio_of(slow, fast, {.flops = 1e9}), 0.5)
      << "FLOPs alone say nothing of memory";
  EXPECT_DOUBLE_EQ(ratio_of(slow, fast, {}) * ratio_of(fast, slow, {}), 1);
}

TEST(Rates, FollowThePowerThatACardHasAgainstItsSiblings) {
  const std::vector<Device> database{
      made_device("small", {.tflops = 8, .tdp_w = 40}),
      made_device("a", {.tflops = 10, .tdp_w = 200}),
      made_device("b", {.tflops = 10, .tdp_w = 180}),
      made_device("c", {.tflops = 10, .tdp_w = 220}),
      made_device("other", {.architecture = "sm_2", .tflops = 10, .tdp_w = 10})};
  EXPECT_DOUBLE_EQ(power_derate(database[0], database), 0.5);  // 5 W/TFLOPS of 20: the root
  EXPECT_DOUBLE_EQ(power_derate(database[3], database), 1) << "more power is no more speed";
  EXPECT_DOUBLE_EQ(power_derate(database[4], database), 1) << "it has no sibling";
  const auto rates = specified_rates(database[0], "fp32", database);
  ASSERT_TRUE(rates);
  EXPECT_DOUBLE_EQ(rates->product_flop_s, 4e12);
  EXPECT_DOUBLE_EQ(rates->convolution_flop_s, 4e12);
  EXPECT_DOUBLE_EQ(rates->byte_s, 1e11);
  EXPECT_FALSE(specified_rates(database[0], "bf16", database)) << "it has no such peak";
}

TEST(Rates, OfFp32LeaveSlotsForOtherInstructionsWhereTheChipHasNoneLeft) {
  const auto share = [](const std::string& architecture, const char* precision) {
    return issue_share(made_device("x", {.architecture = architecture}), precision);
  };
  EXPECT_DOUBLE_EQ(share("sm_70", "fp32"), 1) << "every second slot is free";
  EXPECT_DOUBLE_EQ(share("sm_80", ""), 1);
  for (const auto* full : {"sm_60", "sm_61", "sm_86", "sm_89", "sm_90", "gfx908", "gfx90a"}) {
    EXPECT_NEAR(share(full, "fp32"), 100 / 136.0, 1e-12) << full;
  }
  EXPECT_NEAR(share("sm_37", "fp32"), 128 / (192 * 1.36), 1e-12) << "more lanes than slots";
  EXPECT_NEAR(share("gfx942", "fp32"), 50 / 86.0, 1e-12) << "two operations an instruction";
  EXPECT_DOUBLE_EQ(share("sm_90", "bf16"), 1) << "an instruction of a tensor core does many";
  EXPECT_DOUBLE_EQ(share("unknown", "fp32"), 1);
}

/// Two operations (a multiply-add) in each lane, a clock. A wrong figure does not fit the others.
TEST(Rates, OfShippedDevicesAreThoseOfTheirLanesAtTheirClock) {
  for (const auto& device : read_device_database(device_database_folder())) {
    EXPECT_GT(fp32_lanes(device), 0) << device.name << ": " << device.architecture;
    const auto& figures = device.figures;
    if (figures.boost_clock_mhz.known()) {
      const double tflops =
          2e-6 * fp32_lanes(device) * figures.multiprocessors.value * figures.boost_clock_mhz.value;
      EXPECT_NEAR(figures.fp32_tflops.value / tflops, 1, 0.03) << device.name;
    }
  }
}

TEST(Rates, AreThoseMeasuredInThePrecisionUsed) {
  auto device = made_device("x", {});
  auto& figures = device.figures;
  EXPECT_FALSE(achieved_rates(device, "fp32")) << "nothing was measured";
  figures.achieved_fp32_tflops = {5, "test"};
  EXPECT_FALSE(achieved_rates(device, "fp32")) << "memory was not measured";
  figures.achieved_bandwidth_gb_s = {80, "test"};
  figures.achieved_tf32_tflops = {40, "test"};
  figures.achieved_conv_fp32_tflops = {6, "test"};
  figures.achieved_conv_tf32_tflops = {30, "test"};
  struct Case {
    const char* precision;
    double product;
    double convolution;
  };
  for (const auto& [precision, product, convolution] :
       {Case{"fp32", 5, 6}, Case{"", 5, 6}, Case{"fp32+tf32-conv", 5, 30},
        Case{"fp32+tf32-conv+tf32-matmul", 40, 30}, Case{"tf32", 40, 30}}) {
    const auto rates = achieved_rates(device, precision);
    ASSERT_TRUE(rates) << precision;
    EXPECT_DOUBLE_EQ(rates->product_flop_s, product * 1e12) << precision;
    EXPECT_DOUBLE_EQ(rates->convolution_flop_s, convolution * 1e12) << precision;
    EXPECT_DOUBLE_EQ(rates->byte_s, 8e10) << precision;
  }
  EXPECT_FALSE(achieved_rates(device, "bf16"));
}

}  // namespace
}  // namespace epochcast::device
