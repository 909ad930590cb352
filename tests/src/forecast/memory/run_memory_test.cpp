// Memory of a longer run from a recorded one. The samples are made.
#include "src/forecast/memory/run_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/five_jobs.hpp"

namespace epochcast::memory {
namespace {

using ::testing::HasSubstr;

constexpr double gib = 1073741824;

/// A sample a second of `bytes_at`.
template <class Bytes>
std::vector<MemorySample> sampled(int seconds, Bytes bytes_at) {
  std::vector<MemorySample> samples;
  for (int second = 1; second <= seconds; ++second) {
    samples.push_back({static_cast<double>(second), bytes_at(second)});
  }
  return samples;
}

/// Within an epoch of 13 s memory goes up and down.
double within_epoch(double second) {
  return gib * (4 + 0.5 * std::sin(second * 2 * std::numbers::pi / 13));
}

TEST(MemoryGrowth, IsThatOfALeak) {
  const auto leak = sampled(600, [](int second) { return within_epoch(second) + 1e6 * second; });
  EXPECT_NEAR(growth_of(leak), 1e6, 0.1e6);
}

TEST(MemoryGrowth, IsNoneWhereMemoryFillsOrJumpsOrIsToldByFewSamples) {
  EXPECT_EQ(growth_of(sampled(600, within_epoch)), 0);
  EXPECT_EQ(
      growth_of(sampled(
          600, [](int second) { return within_epoch(second) + 1e7 * std::min(second, 200); })),
      0)
      << "caches that fill at first";
  EXPECT_EQ(growth_of(sampled(600, [](int second) { return second < 450 ? 2 * gib : 3 * gib; })), 0)
      << "an evaluation late in the run";
  EXPECT_EQ(growth_of(sampled(60, [](int second) { return 1e6 * second; })), 0);
}

record::Record steady_job(double bytes_per_s) {
  auto record = job_record({.name = "made"});
  for (auto& sample : record.telemetry) {
    sample.resident_bytes = 2 * gib + bytes_per_s * sample.end_s;
  }
  return record;
}

TEST(RunMemory, OfASteadyRunIsItsPeakWhateverTheLength) {
  const auto found = std::get<RunMemory>(memory_of_run(steady_job(0), 1e5, 2e5));
  EXPECT_EQ(found.growth, 0);
  EXPECT_DOUBLE_EQ(found.node_bytes.value, 2 * gib);
  EXPECT_GT(found.node_bytes.interval_95.high, 2 * gib);
  EXPECT_LT(found.node_bytes.interval_95.high, 2.2 * gib);
}

TEST(RunMemory, OfALeakGrowsWithTheLengthOfTheRun) {
  const auto found = std::get<RunMemory>(memory_of_run(steady_job(1e5), 6000, 8000));
  const double seen = 2 * gib + 1e5 * 600;
  EXPECT_NEAR(found.node_bytes.value, seen + 1e5 * 5400, 1e7);
  EXPECT_GT(found.node_bytes.interval_95.high, seen + 1e5 * 7400);
  const auto unknown = memory_of_run(steady_job(1e5), std::nan(""), std::nan(""));
  EXPECT_THAT(std::get<forecast::Refusal>(unknown).reason, HasSubstr("its memory grows"));
}

TEST(RunMemory, IsRefusedWithoutAPeak) {
  auto record = steady_job(0);
  record.telemetry.clear();
  EXPECT_THAT(std::get<forecast::Refusal>(memory_of_run(record, 100, 200)).reason,
              HasSubstr("no samples"));
}

}  // namespace
}  // namespace epochcast::memory
