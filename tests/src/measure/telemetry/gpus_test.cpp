#include "src/measure/telemetry/gpus.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Gpus, InAContainerOneOfTheProcessesIsThisRunButNobodyKnowsWhich) {
  Gpus gpus({"0"}, EPOCHCAST_FAKE_NVML);
  const auto rows = gpus.read(1, {4242});
  EXPECT_EQ(rows[0].other_processes, 1);
  EXPECT_TRUE(std::isnan(rows[0].other_use));
}

}  // namespace
}  // namespace epochcast::telemetry
