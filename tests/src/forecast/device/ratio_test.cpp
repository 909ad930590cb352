// The ratio of two devices, tier by tier.
#include "src/forecast/device/ratio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/src/forecast/device/made_device.hpp"

namespace epochcast::device {
namespace {

using testing::HasSubstr;

/// Two devices without figures of measurements, and a workload on the first.
class RatioOfDevices : public testing::Test {
 protected:
  RatioQuestion question() const {
    return {.measured = {.workload = "asked", .precision = "fp32", .time_s = 0.1},
            .from = &database[0],
            .to = &database[1],
            .database = &database};
  }

  static Reference reference(const std::string& workload, double ratio) {
    return {{.workload = workload, .precision = "fp32", .time_s = 0.1}, ratio};
  }

  static Ratio answer_of(const std::string& tier, const RatioQuestion& question) {
    const auto answer = tiers::all().at(tier).ratio(question);
    EXPECT_TRUE(std::holds_alternative<Ratio>(answer)) << tier;
    return std::holds_alternative<Ratio>(answer) ? std::get<Ratio>(answer) : Ratio{};
  }

  static std::string refusal_of(const std::string& tier, const RatioQuestion& question) {
    const auto answer = tiers::all().at(tier).ratio(question);
    EXPECT_TRUE(std::holds_alternative<NoRatio>(answer)) << tier;
    return std::holds_alternative<NoRatio>(answer) ? std::get<NoRatio>(answer).reason : "";
  }

  std::vector<Device> database{
      made_device("slow", {.architecture = "sm_1", .tflops = 10, .bandwidth_gb_s = 100}),
      made_device("fast", {.architecture = "sm_2", .tflops = 40, .bandwidth_gb_s = 100})};
};

TEST_F(RatioOfDevices, SimpleRulesAreOnlyForComparison) {
  EXPECT_DOUBLE_EQ(answer_of("flops_ratio", question()).value, 0.25);
  database[1].figures.bandwidth_gb_s.value = 400;
  EXPECT_DOUBLE_EQ(answer_of("geometric_mean", question()).value, 0.25);
  database[1].figures.bandwidth_gb_s.value = 100;
  EXPECT_DOUBLE_EQ(answer_of("geometric_mean", question()).value, 0.5);
  for (const auto* tier : {"flops_ratio", "geometric_mean"}) {
    EXPECT_TRUE(tiers::all().at(tier).for_comparison) << tier;
  }
  database[1].figures.bandwidth_gb_s = {};
  EXPECT_EQ(refusal_of("geometric_mean", question()), "a bandwidth is not known");
}

TEST_F(RatioOfDevices, TakesTheDatasheetsWhereNothingWasMeasured) {
  const auto best = best_ratio(question());
  ASSERT_TRUE(std::holds_alternative<TierRatio>(best));
  EXPECT_EQ(std::get<TierRatio>(best).tier, "specifications");
  EXPECT_DOUBLE_EQ(std::get<TierRatio>(best).ratio.value, std::sqrt(10.0 / 40));
}

TEST_F(RatioOfDevices, TakesTheDefaultOfFrameworksWhereTheSourceCannotShowIt) {
  database[1].figures.tf32_tflops = {320, "test"};
  const auto unknown = question();
  EXPECT_EQ(precision_of_both("fp32", database[0]), "") << "'slow' has no TF32";
  EXPECT_EQ(precision_of_both("bf16", database[0]), "bf16");
  EXPECT_DOUBLE_EQ(answer_of("flops_ratio", unknown).value, 10 / 320.0);
  EXPECT_THAT(answer_of("specifications", unknown).basis, HasSubstr("fp32 over tf32 FLOPS"));
  database[0].figures.tf32_tflops = {20, "test"};
  EXPECT_EQ(precision_of_both("fp32", database[0]), "fp32") << "it was not used on 'slow'";
  EXPECT_DOUBLE_EQ(answer_of("flops_ratio", question()).value, 0.25);
}

TEST_F(RatioOfDevices, OfDatasheetsIsTheSameWithAndWithoutCountedWork) {
  auto counted = question();
  counted.measured.work = {.flops = 1e12, .bytes = 1};
  EXPECT_DOUBLE_EQ(answer_of("specifications", counted).value,
                   answer_of("specifications", question()).value);
  EXPECT_DOUBLE_EQ(answer_of("specifications", counted).width_95,
                   answer_of("specifications", question()).width_95);
}

TEST_F(RatioOfDevices, OfDatasheetsIsLessCertainOfDevicesThatAreFarApart) {
  const auto near = answer_of("specifications", question());
  database[0].architecture = "sm_60";
  database[1].architecture = "sm_120";
  const auto far = answer_of("specifications", question());
  EXPECT_GT(far.width_80, near.width_80);
  EXPECT_GT(far.width_95, far.width_80);
  auto one_kernel = question();
  one_kernel.measured.single_operator = true;
  EXPECT_NEAR(answer_of("specifications", one_kernel).width_80,
              operator_widths.of_80 * std::sqrt(9.5), 1e-12);
}

TEST_F(RatioOfDevices, OfDatasheetsIsLessCertainOfAnotherBatch) {
  auto asked = question();
  const auto same = answer_of("specifications", asked);
  asked.measured.any_batch = true;
  const auto wider = [&](double octaves) {
    const auto found = answer_of("specifications", asked);
    EXPECT_DOUBLE_EQ(found.value, same.value);
    EXPECT_DOUBLE_EQ(found.width_80, std::hypot(same.width_80, octaves * batch_widths.of_80));
    EXPECT_DOUBLE_EQ(found.width_95, std::hypot(same.width_95, octaves * batch_widths.of_95));
    EXPECT_EQ(found.basis.ends_with("the batch there is or may be another"), octaves > 0);
  };
  wider(1);  // neither batch nor memory is known
  database[0].figures.memory_gb = {24, "test"};
  database[1].figures.memory_gb = {24, "test"};
  wider(0);
  database[1].figures.memory_gb = {6, "test"};
  wider(2);
  asked.measured.batch = 32;
  asked.batch_there = 256;
  wider(3);
  asked.batch_there = 32;
  wider(0);
}

TEST_F(RatioOfDevices, PrefersMeasuredRatesAndThenReferences) {
  for (auto& device : database) {
    device.figures.achieved_fp32_tflops = {device.name == "slow" ? 8.0 : 16.0, "test"};
    device.figures.achieved_bandwidth_gb_s = {80, "test"};
  }
  auto asked = question();
  const auto rates = best_ratio(asked);
  EXPECT_EQ(std::get<TierRatio>(rates).tier, "achieved_rates");
  EXPECT_DOUBLE_EQ(std::get<TierRatio>(rates).ratio.value, std::sqrt(0.5));
  asked.references = {reference("a", 0.4), reference("b", 0.4), reference("c", 0.4)};
  const auto references = best_ratio(asked);
  EXPECT_EQ(std::get<TierRatio>(references).tier, "reference_ratios");
  EXPECT_DOUBLE_EQ(std::get<TierRatio>(references).ratio.value, 0.4);
}

TEST_F(RatioOfDevices, ComparesConvolutionsWithProductsOnBothSidesOrNeither) {
  for (auto& device : database) {
    device.figures.achieved_fp32_tflops = {device.name == "slow" ? 10.0 : 20.0, "test"};
    device.figures.achieved_bandwidth_gb_s = {80, "test"};
  }
  database[1].figures.achieved_conv_fp32_tflops = {1000, "test"};
  auto asked = question();
  asked.measured.work = {.flops = 1e18, .convolution_flops = 1e18, .bytes = 1};
  EXPECT_NEAR(answer_of("achieved_rates", asked).value, 0.5, 1e-6)
      << "the slow one's convolutions were not measured";
}

TEST_F(RatioOfDevices, IsTheSameSeenFromEitherDevice) {
  for (const auto* tier : {"specifications", "geometric_mean", "flops_ratio"}) {
    auto back = question();
    std::swap(back.from, back.to);
    EXPECT_DOUBLE_EQ(answer_of(tier, question()).value * answer_of(tier, back).value, 1) << tier;
    EXPECT_DOUBLE_EQ(answer_of(tier, question()).width_80, answer_of(tier, back).width_80) << tier;
  }
}

TEST_F(RatioOfDevices, ExplainsWhyATierHasNone) {
  auto asked = question();
  asked.to = nullptr;
  const auto none = best_ratio(asked);
  ASSERT_TRUE(std::holds_alternative<NoRatio>(none));
  EXPECT_EQ(std::get<NoRatio>(none).reason,
            "reference_ratios: 0 other workloads measured on both devices, 3 are needed; "
            "achieved_rates: a device is not in the device database; "
            "specifications: a device is not in the device database");
}

TEST_F(RatioOfDevices, ReferencesNeedThePrecisionAndMoreThanOneKindOfWorkload) {
  auto asked = question();
  asked.references = {reference("a", 2), reference("a", 2), reference("a", 2)};
  EXPECT_EQ(refusal_of("reference_ratios", asked),
            "the workloads measured on both devices are all of one kind");
  asked.references.push_back(reference("b", 2));
  EXPECT_DOUBLE_EQ(answer_of("reference_ratios", asked).value, 2);
  asked.measured.precision = "bf16";
  EXPECT_THAT(refusal_of("reference_ratios", asked), HasSubstr("0 other workloads"));
}

TEST_F(RatioOfDevices, IsAFinitePositiveNumberForAnyWork) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-12, 18);
  const auto any = [&] { return std::pow(10, exponent(random)); };
  for (auto& device : database) {
    device.figures.achieved_fp32_tflops = {any(), "test"};
    device.figures.achieved_conv_fp32_tflops = {any(), "test"};
    device.figures.achieved_bandwidth_gb_s = {any(), "test"};
  }
  for (int round = 0; round < 200; ++round) {
    auto asked = question();
    const auto make = [&](const std::string& workload) {
      MeasuredWork work{.workload = workload, .precision = "fp32", .time_s = any()};
      work.work.flops = round % 3 == 0 ? 0 : any();
      work.work.convolution_flops = round % 2 == 0 ? 0 : work.work.flops;
      work.work.bytes = round % 5 == 0 ? 0 : any();
      return work;
    };
    asked.measured = make("asked");
    for (int i = 0; i < round % 10; ++i) {
      asked.references.push_back({make("w" + std::to_string(i % 4)), any()});
    }
    for (const auto& [name, tier] : tiers::all()) {
      const auto answer = tier.ratio(asked);
      if (const auto* ratio = std::get_if<Ratio>(&answer)) {
        EXPECT_TRUE(std::isfinite(ratio->value) && ratio->value > 0) << name << " " << ratio->value;
        EXPECT_TRUE(std::isfinite(ratio->width_95) && ratio->width_95 >= ratio->width_80) << name;
      }
    }
  }
}

TEST(NormalError, IsAsWideAsItsMeanImplies) {
  // A normal variable of deviation 1 has a mean size of sqrt(2/pi) = 0.798; 80 % lie within 1.2816.
  const auto ratio = with_normal_error(3, 0.79788456, "x");
  EXPECT_DOUBLE_EQ(ratio.value, 3);
  EXPECT_NEAR(ratio.width_80, 1.2816, 1e-4);
  EXPECT_NEAR(ratio.width_95, 1.9600, 1e-4);
}

TEST(Tiers, HaveRanksOfTheirOwnAndReportTheirErrors) {
  int last = 0;
  for (const auto& [name, tier] : tiers_by_rank()) {
    EXPECT_GT(tier.rank, last) << name;
    last = tier.rank;
    EXPECT_FALSE(tier.summary.empty()) << name;
    EXPECT_FALSE(tier.measured_error.empty()) << name;
  }
}

}  // namespace
}  // namespace epochcast::device
