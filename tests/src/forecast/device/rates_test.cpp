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

TEST(Rates, GiveTheGeometricMeanWhereBytesWereNotCounted) {
  const Rates slow{.product_flop_s = 900, .convolution_flop_s = 900, .byte_s = 100};
  const Rates fast{.product_flop_s = 900, .convolution_flop_s = 3600, .byte_s = 400};
  EXPECT_DOUBLE_EQ(geometric_ratio(slow, fast, {}), 0.25) << "nothing says that it has products";
  EXPECT_DOUBLE_EQ(geometric_ratio(slow, fast, {.flops = 5e9}), 0.5) << "products only";
  EXPECT_DOUBLE_EQ(geometric_ratio(slow, fast, {.flops = 4, .convolution_flops = 2}),
                   std::sqrt(0.625 * 0.25));
}

TEST(Rates, AreThoseOfTensorCoresWhereTheFrameworkUsesThemForFp32) {
  const auto database = read_device_database(device_database_folder());
  const auto& a100 = find_device(database, "a100_sxm4_40gb");
  const auto rates = [&](const char* precision) {
    return *specified_rates(a100, precision, database);
  };
  EXPECT_DOUBLE_EQ(rates("fp32").convolution_flop_s, 19.5e12);
  EXPECT_DOUBLE_EQ(rates("").convolution_flop_s, 156e12) << "the default of the frameworks";
  EXPECT_DOUBLE_EQ(rates("").product_flop_s, 156e12);
  EXPECT_DOUBLE_EQ(rates("fp32+tf32-conv").convolution_flop_s, 156e12);
  EXPECT_DOUBLE_EQ(rates("fp32+tf32-conv").product_flop_s, 19.5e12);
  EXPECT_DOUBLE_EQ(rates("fp32+tf32-conv+tf32-matmul").product_flop_s, 156e12);
  const auto& t4 = find_device(database, "t4");
  EXPECT_EQ(specified_rates(t4, "", database)->arithmetic, "fp32") << "it has no TF32";
  EXPECT_EQ(peak_for(find_device(database, "mi300x"), "").precision, "fp32")
      << "PyTorch on ROCm does not use it by default";
}

TEST(Rates, OfHalfPrecisionAreAssumedWhereTheDatasheetHasNone) {
  const auto database = read_device_database(device_database_folder());
  const auto assumed = [&](const char* device, const char* precision) {
    return *specified_rates(find_device(database, device), precision, database);
  };
  const auto p40 = assumed("p40", "fp16");
  EXPECT_TRUE(p40.assumed);
  EXPECT_DOUBLE_EQ(p40.product_flop_s,
                   specified_rates(find_device(database, "p40"), "fp32", database)->product_flop_s)
      << "no device of its architecture has a figure";
  const auto ada = assumed("rtx_5000_ada", "bf16");
  EXPECT_TRUE(ada.assumed);
  EXPECT_EQ(ada.arithmetic, "bf16");
  EXPECT_GT(ada.product_flop_s, 1.5 * assumed("rtx_5000_ada", "fp32").product_flop_s);
  EXPECT_FALSE(assumed("t4", "fp16").assumed);
}

TEST(Rates, AreYearsApart) {
  const auto database = read_device_database(device_database_folder());
  const auto years = [&](const char* from, const char* to, const char* precision) {
    const auto& a = find_device(database, from);
    const auto& b = find_device(database, to);
    return years_between(a, *specified_rates(a, precision, database), b,
                         *specified_rates(b, precision, database));
  };
  EXPECT_DOUBLE_EQ(years("v100_sxm2", "v100_sxm2", ""), 0);
  EXPECT_DOUBLE_EQ(years("p100_pcie", "t4", "fp32"), 2);
  EXPECT_DOUBLE_EQ(years("t4", "a100_sxm4_40gb", "fp32"), 2);
  EXPECT_DOUBLE_EQ(years("t4", "a100_sxm4_40gb", ""), 4) << "only one of them has tensor cores";
  EXPECT_DOUBLE_EQ(years("a100_sxm4_40gb", "mi250x", "fp32"), 5) << "of another maker";
  EXPECT_DOUBLE_EQ(years("p40", "p100_pcie", "fp16"), 6) << "assumed, and not 16 bits";
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
  EXPECT_FALSE(specified_rates(database[0], "fp64", database)) << "it has no such peak";
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
       {Case{"fp32", 5, 6}, Case{"", 40, 30}, Case{"fp32+tf32-conv", 5, 30},
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
