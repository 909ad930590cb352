#include "src/base/core/latency_histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "tests/files.hpp"
#include "tests/python.hpp"

namespace epochcast {
namespace {

using ::testing::ElementsAre;
using Bin = LatencyHistogram::Bin;

/// Latencies from 1 us to 100 s, each order of magnitude as often as the others.
std::vector<std::int64_t> latencies_us(int count) {
  std::mt19937_64 random(11);
  std::vector<std::int64_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(std::llround(std::pow(10, 8 * static_cast<double>(random() >> 11) * 0x1p-53)));
  }
  return values;
}

LatencyHistogram histogram_of(const std::vector<std::int64_t>& values_us) {
  LatencyHistogram histogram;
  for (const auto value : values_us) {
    histogram.add(static_cast<double>(value) * 1e-6);
  }
  return histogram;
}

TEST(LatencyHistogram, TellsMicrosecondsApartUpToTwoMilliseconds) {
  EXPECT_THAT(histogram_of({0, 1, 1, 2047}).bins(),
              ElementsAre(Bin{0, 1, 1}, Bin{1, 1, 2}, Bin{2047, 1, 1}));
}

TEST(LatencyHistogram, HasThousandTwentyFourBinsForEachDoubling) {
  EXPECT_THAT(histogram_of({2048, 2049, 2050, 4095, 4096, 4099, 4100}).bins(),
              ElementsAre(Bin{2048, 2, 2}, Bin{2050, 2, 1}, Bin{4094, 2, 1}, Bin{4096, 4, 2},
                          Bin{4100, 4, 1}));
}

TEST(LatencyHistogram, TakesValuesOutsideOfItsRangeAsItsEnds) {
  LatencyHistogram histogram;
  histogram.add(-1);
  histogram.add(1e9);
  const auto bins = histogram.bins();
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].low_us, 0);
  EXPECT_LE(bins[1].low_us, 3'600'000'000);
  EXPECT_GT(bins[1].low_us + bins[1].width_us, 3'600'000'000);
}

TEST(LatencyHistogram, QuantilesAreThoseOfTheValuesToThreeDigits) {
  auto values = latencies_us(100'000);
  const auto histogram = histogram_of(values);
  std::ranges::sort(values);
  for (const double probability : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(probability * 100'000 - 1e-6)));
    const double exact_s = static_cast<double>(values[rank - 1]) * 1e-6;
    EXPECT_GE(histogram.quantile_s(probability), exact_s * (1 - 1e-12)) << probability;
    EXPECT_LE(histogram.quantile_s(probability), exact_s * 1.001) << probability;
  }
}

TEST(LatencyHistogram, QuantilesOfFewValuesAreValues) {
  const auto histogram = histogram_of({10, 20, 30, 40});
  EXPECT_DOUBLE_EQ(histogram.quantile_s(0.5), 20e-6);
  EXPECT_DOUBLE_EQ(histogram.quantile_s(0.51), 30e-6);
  EXPECT_DOUBLE_EQ(histogram.quantile_s(0.99), 40e-6);
}

TEST(LatencyHistogram, BinsOfSeveralAddUpToTheBinsOfAll) {
  const auto values = latencies_us(10'000);
  LatencyHistogram sum;
  LatencyHistogram halves[2];
  for (std::size_t i = 0; i < values.size(); ++i) {
    halves[i % 2].add(static_cast<double>(values[i]) * 1e-6);
  }
  sum.add(halves[0]);
  for (const auto& bin : halves[1].bins()) {
    sum.add(bin);
  }
  EXPECT_EQ(sum.bins(), histogram_of(values).bins());
  EXPECT_EQ(sum.count(), 10'000);
}

TEST(LatencyHistogram, CountsWhatIsWithinALimit) {
  const auto histogram = histogram_of({100, 200, 300, 400});
  EXPECT_EQ(histogram.count_up_to(300e-6), 3);
  EXPECT_EQ(histogram.count_up_to(299e-6), 2);
}

TEST(LatencyHistogram, HasNoQuantilesWithoutValues) {
  LatencyHistogram histogram;
  EXPECT_THROW((void)histogram.quantile_s(0.5), std::logic_error);
  histogram.add(1);
  histogram.clear();
  EXPECT_THROW((void)histogram.quantile_s(0.5), std::logic_error);
  EXPECT_TRUE(histogram.bins().empty());
}

TEST(LatencyHistogram, AgreesWithHdrHistogram) {
  const auto python = tests::python_with("hdrh");
  if (!python) {
    GTEST_SKIP() << "no Python with the package hdrhistogram of PyPI";
  }
  const TemporaryFolder folder;
  std::string values;
  for (const auto value : latencies_us(100'000)) {
    values += std::to_string(value) + "\n";
  }
  set_bytes(folder / "values", values);
  const auto result = process::run_command(
      {*python, "-c",
       "import sys\nfrom hdrh.histogram import HdrHistogram\n"
       "h = HdrHistogram(1, 3600000000, 3)\n"
       "for line in open(sys.argv[1]): h.record_value(int(line))\n"
       "print(*[h.get_value_at_percentile(p) for p in (50, 90, 99, 99.9, 99.99)])\n"
       "for i in h.get_recorded_iterator():\n"
       "    print(i.value_iterated_to, i.count_added_in_this_iter_step)",
       folder / "values"},
      120);
  ASSERT_TRUE(result.ok()) << result.err;
  const auto histogram = histogram_of(latencies_us(100'000));
  std::vector<std::string> quantiles;
  for (const double probability : {0.5, 0.9, 0.99, 0.999, 0.9999}) {
    quantiles.push_back(std::to_string(std::llround(histogram.quantile_s(probability) * 1e6)));
  }
  std::string own = join(quantiles, " ") + "\n";
  for (const auto& bin : histogram.bins()) {
    own += std::to_string(bin.low_us + bin.width_us - 1) + " " + std::to_string(bin.count) + "\n";
  }
  EXPECT_EQ(result.out, own);
}

}  // namespace
}  // namespace epochcast
