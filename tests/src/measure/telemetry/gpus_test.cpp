#include "src/measure/telemetry/gpus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace epochcast::telemetry {
namespace {

TEST(Gpus, AreNoneWithoutADriverOrAWish) {
  EXPECT_TRUE(Gpus({"0"}, "libno-such-library.so.1").empty());
  EXPECT_TRUE(Gpus({}, EPOCHCAST_FAKE_NVML).empty());
  EXPECT_TRUE(Gpus({"7"}, EPOCHCAST_FAKE_NVML).empty());
  EXPECT_TRUE(Gpus({"0"}, "libno-such-library.so.1").read(1, {}).empty());
}

TEST(Gpus, AreReadFromTheLibrary) {
  Gpus gpus({"0"}, EPOCHCAST_FAKE_NVML);
  gpus.read(0, {});
  const auto rows = gpus.read(2, {100});
  ASSERT_EQ(rows.size(), 1u);
  const auto& row = rows[0];
  EXPECT_EQ(row.gpu, 0);
  EXPECT_EQ(row.uuid.str(), "GPU-1111-aaaa");
  EXPECT_DOUBLE_EQ(row.use, 0.85);
  EXPECT_DOUBLE_EQ(row.memory_use, 0.4);
  EXPECT_EQ(row.memory_bytes, 2e9);
  EXPECT_DOUBLE_EQ(row.power_w, 65.5);
  EXPECT_DOUBLE_EQ(row.energy_j, 131);  // the counter rises by that between two calls
  EXPECT_EQ(row.clock_mhz, 1500);
  EXPECT_EQ(row.memory_clock_mhz, 5000);
  EXPECT_EQ(row.temperature_c, 71);
  EXPECT_EQ(row.throttle_reasons, 0x24);
  EXPECT_EQ(row.other_processes, 1);
  EXPECT_DOUBLE_EQ(row.other_use, 0.3);
}

TEST(Gpus, OfAmdAreReadFromTheirLibrary) {
  for (const char* old : {"", "1"}) {
    *old != '\0' ? setenv("EPOCHCAST_OLD_FREQUENCIES", old, 1)
                 : unsetenv("EPOCHCAST_OLD_FREQUENCIES");
    Gpus gpus({"GPU-abc"}, "libno-such-library.so.1", {EPOCHCAST_FAKE_ROCM_SMI});
    gpus.read(0, {});
    const auto rows = gpus.read(2, {100});
    ASSERT_EQ(rows.size(), 1u);
    const auto& row = rows[0];
    EXPECT_EQ(row.uuid.str(), "GPU-abc0000000000001");
    EXPECT_DOUBLE_EQ(row.use, 0.75);
    EXPECT_DOUBLE_EQ(row.memory_use, 0.3);
    EXPECT_EQ(row.memory_bytes, 3e9);
    EXPECT_DOUBLE_EQ(row.power_w, 250.5);
    EXPECT_NEAR(row.energy_j, 489.6, 1e-3);  // 32 million units of 15.3 uJ between two calls
    EXPECT_DOUBLE_EQ(row.clock_mhz, 1400);
    EXPECT_DOUBLE_EQ(row.memory_clock_mhz, 1200);
    EXPECT_DOUBLE_EQ(row.temperature_c, 64);
    EXPECT_TRUE(std::isnan(row.other_processes));
  }
  unsetenv("EPOCHCAST_OLD_FREQUENCIES");
  Gpus second({"1"}, "libno-such-library.so.1", {EPOCHCAST_FAKE_ROCM_SMI});
  const auto row = second.read(1, {}).at(0);
  for (const double value :
       {row.use, row.power_w, row.energy_j, row.clock_mhz, row.temperature_c}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Gpus, MayNotReportEverything) {
  Gpus gpus({"GPU-2222"}, EPOCHCAST_FAKE_NVML);
  const auto rows = gpus.read(1, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].gpu, 1);
  for (const double value : {rows[0].use, rows[0].power_w, rows[0].energy_j, rows[0].clock_mhz,
                             rows[0].temperature_c, rows[0].other_processes, rows[0].other_use}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Gpus, ASliceOfACardHasItsMemoryAndNoUseOrEnergyOfTheWholeCard) {
  setenv("FAKE_NVML_MIG", "1", 1);
  Gpus gpus({"MIG-4444"}, EPOCHCAST_FAKE_NVML);
  Gpus by_index({"1"}, EPOCHCAST_FAKE_NVML);
  unsetenv("FAKE_NVML_MIG");
  const auto rows = gpus.read(1, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].uuid.str(), "MIG-4444-dddd");
  EXPECT_EQ(rows[0].memory_bytes, 3e9);
  for (const double value : {rows[0].use, rows[0].power_w, rows[0].energy_j}) {
    EXPECT_TRUE(std::isnan(value));
  }
  const auto first = by_index.read(1, {});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].uuid.str(), "MIG-3333-cccc");
}

TEST(Gpus, InAContainerOneOfTheProcessesIsThisRunButNobodyKnowsWhich) {
  Gpus gpus({"0"}, EPOCHCAST_FAKE_NVML);
  const auto rows = gpus.read(1, {4242});
  EXPECT_EQ(rows[0].other_processes, 1);
  EXPECT_TRUE(std::isnan(rows[0].other_use));
}

}  // namespace
}  // namespace epochcast::telemetry
