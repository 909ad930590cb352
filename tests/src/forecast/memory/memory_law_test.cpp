// The law of memory, on peaks that follow it: made, but for the ones named as measured.
#include "src/forecast/memory/memory_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::memory {
namespace {

using ::testing::HasSubstr;

constexpr double mb = 1e6;

/// 300 MB, 16 bytes a parameter and so many of a sample.
SettingPeak made_peak(double batch, double length = 1, double parameters = 1) {
  return {{.batch = batch, .length = length, .parameters = parameters},
          300 * mb + 16 * parameters + 2 * mb * batch * length};
}

MemoryLaw law_of(std::vector<SettingPeak> peaks) {
  return std::get<MemoryLaw>(MemoryLaw::fit(std::move(peaks)));
}

TEST(MemoryLaw, FindsFixedPartAndPartsOfBatchAndParameters) {
  const auto law = law_of({made_peak(8, 1, 1e7), made_peak(16, 1, 1e7), made_peak(32, 1, 1e7),
                           made_peak(8, 1, 4e7), made_peak(32, 1, 4e7), made_peak(16, 1, 2e7)});
  const auto asked = made_peak(64, 1, 3e7);
  const auto found = std::get<forecast::Prediction>(law.forecast(asked.setting));
  EXPECT_NEAR(found.value, asked.bytes, 0.01 * asked.bytes);
  EXPECT_TRUE(found.interval_95.holds(asked.bytes));
}

TEST(MemoryLaw, RefusesADimensionInWhichNothingVaried) {
  const auto law = law_of({made_peak(8), made_peak(16), made_peak(32)});
  const auto answer = law.forecast(made_peak(16, 64).setting);
  EXPECT_THAT(std::get<forecast::Refusal>(answer).reason,
              HasSubstr("all runs have the same input length, 1"));
  EXPECT_THAT(std::get<forecast::Refusal>(MemoryLaw::fit({})).reason,
              HasSubstr("no peak of memory"));
}

TEST(MemoryLaw, UpperEndIsNeverBelowAPeakThatWasSeen) {
  auto peaks = std::vector{made_peak(8), made_peak(16), made_peak(32), made_peak(64)};
  peaks.push_back({peaks[1].setting, 5 * peaks[1].bytes});
  const auto found = std::get<forecast::Prediction>(law_of(peaks).forecast(peaks[1].setting));
  EXPECT_GE(found.interval_80.high, peaks.back().bytes);
  EXPECT_GE(found.interval_95.high, peaks.back().bytes);
}

TEST(MemoryLaw, LargestBatchIsTheLastThatFits) {
  const auto law = law_of({made_peak(8), made_peak(16), made_peak(32), made_peak(64)});
  const MemorySetting asked{.batch = 256};
  const double limit = 600 * mb;
  const auto largest = law.largest_batch(asked, limit);
  ASSERT_TRUE(largest);
  const auto most = [&](std::int64_t batch) {
    const auto answer = law.forecast({.batch = static_cast<double>(batch)});
    return std::get<forecast::Prediction>(answer).interval_95.high;
  };
  EXPECT_LE(most(*largest), limit);
  EXPECT_GT(most(*largest + 1), limit);
  EXPECT_EQ(law.largest_batch(asked, 200 * mb), std::nullopt) << "less than the fixed part";
}

/// Measured: DCGAN of width 32, 4 steps on one CPU, in MB.
TEST(MemoryLaw, ForecastsMeasuredPeaksFromOthers) {
  const auto law = law_of({{{.batch = 16}, 294.2 * mb},
                           {{.batch = 32}, 337.7 * mb},
                           {{.batch = 64}, 415.7 * mb},
                           {{.batch = 128}, 569.8 * mb}});
  const auto found = std::get<forecast::Prediction>(law.forecast({.batch = 48}));
  EXPECT_NEAR(found.value, 375.5 * mb, 0.03 * 375.5 * mb);
}

}  // namespace
}  // namespace epochcast::memory
