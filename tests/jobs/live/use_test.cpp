#include <gtest/gtest.h>

#include "jobs/live/snapshot.hpp"

namespace epochcast::jobs {
namespace {

TEST(LiveUse, IsNothingWithoutSamples) {
  EXPECT_EQ(use_of({}).cpu, std::nullopt);
  EXPECT_EQ(use_of({}).gpu, std::nullopt);
}

TEST(LiveUse, IsThatOfTheLastSampleOfEachRank) {
  record::Record record;
  record.telemetry = {{.rank = 0, .duration_s = 1, .cpus = 4, .own_cpu_s = 1},
                      {.rank = 1, .duration_s = 1, .cpus = 4, .own_cpu_s = 1},
                      {.rank = 0, .duration_s = 2, .cpus = 4, .own_cpu_s = 6},
                      {.rank = 1, .duration_s = 1, .cpus = 4}};  // the last of rank 1: not measured
  EXPECT_DOUBLE_EQ(use_of(record).cpu.value(), (3.0 + 1.0) / 8);
  EXPECT_EQ(use_of(record).gpu, std::nullopt);
}

TEST(LiveUse, OfGpusIsTheirMean) {
  record::Record record;
  record.telemetry_gpus = {
      {.gpu = 0, .use = 0.1}, {.gpu = 0, .use = 0.9}, {.gpu = 1, .use = 0.5}, {.gpu = 2}};
  EXPECT_DOUBLE_EQ(use_of(record).gpu.value(), 0.7);
}

}  // namespace
}  // namespace epochcast::jobs
