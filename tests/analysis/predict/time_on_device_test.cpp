// Recorded times carried over to another device: the bottleneck first, then the ratio.
#include "analysis/predict/time_on_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/src/forecast/device/made_device.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Optional;

/// One epoch of 40 steps on a GPU, 100 ms from one to the next.
struct MadeSteps {
  double step_s = 0.1;     ///< As the host sees it: a full queue waits for the device.
  double launch_s = 0.01;  ///< The first one's, while the queue is empty.
  double device_s = 0.1;
  double wait_s = 0;
  std::int64_t batch = 32;
};

record::Record record_of(const MadeSteps& made) {
  auto record = made_record({.gpu = "slow card", .batch = made.batch});
  for (int i = 0; i < 40; ++i) {
    record.iterations.push_back({.index = i,
                                 .start_s = 0.1 * i,
                                 .wait_s = made.wait_s,
                                 .step_s = i % 10 == 5 ? made.launch_s : made.step_s,
                                 .device_s = made.device_s,
                                 .samples = made.batch});
  }
  return record;
}

/// "fast" has twice the arithmetic and the memory traffic: half the time by the datasheets.
class TimeOnDevice : public testing::Test {
 protected:
  TimeOnDevice() {
    for (auto& device : database) {
      device.names = {device.name + " card"};
      device.memory_sizes_gb = {16};
    }
  }

  OnDeviceQuestion question(const record::Record& record) const {
    return {.record = &record, .database = &database, .from = &database[0], .to = &database[1]};
  }

  Timing timing(const std::string& device, const std::string& workload, double batch,
                double time_s) const {
    Timing result;
    result.device = device;
    result.measured.workload = workload;
    result.measured.batch = batch;
    result.measured.precision = "fp32";
    result.measured.time_s = time_s;
    return result;
  }

  std::vector<device::Device> database{
      device::made_device("slow", {.architecture = "sm_1", .tflops = 10, .bandwidth_gb_s = 100}),
      device::made_device("fast", {.architecture = "sm_2", .tflops = 20, .bandwidth_gb_s = 200})};
};

TEST_F(TimeOnDevice, ScalesTheDevicesPartByTheDatasheets) {
  const auto record = record_of({});
  const auto on_device = time_on_device(question(record));
  EXPECT_EQ(on_device.flagged, std::nullopt);
  EXPECT_EQ(std::get<device::TierRatio>(on_device.answer).tier, "specifications");
  const auto step = on_device.time(0.1);
  EXPECT_NEAR(step.value, 0.05, 1e-9);
  EXPECT_LT(step.interval_95.low, step.interval_80.low);
  EXPECT_LT(step.interval_80.low, step.value);
  EXPECT_LT(step.value, step.interval_80.high);
  EXPECT_LT(step.interval_80.high, step.interval_95.high);
  EXPECT_NEAR(on_device.time(10).value, 5, 1e-9) << "whole trainings go along with their steps";
}

TEST_F(TimeOnDevice, LeavesTheWaitForDataAsItIs) {
  const auto record = record_of({.device_s = 0.06, .wait_s = 0.04});
  EXPECT_NEAR(time_on_device(question(record)).time(0.1).value, 0.04 + 0.03, 1e-9);
}

TEST_F(TimeOnDevice, FlagsAStepOfTheHostAndDoesNotScaleIt) {
  const auto record = record_of({.step_s = 0.1, .launch_s = 0.095});
  const auto asked = question(record);
  const auto on_device = time_on_device(asked);
  EXPECT_THAT(on_device.flagged, Optional(HasSubstr("launching on the host is 100 % of a step")));
  const auto tables = on_device_tables(asked, on_device);
  EXPECT_THAT(tables[1].notes, Contains(HasSubstr("not scaled")));
  EXPECT_THAT(column_of(tables[1], "there_ms"), Each(""));
}

TEST_F(TimeOnDevice, FlagsWhatRunsAtOtherBatchSizesGiveAway) {
  const auto record = record_of({});
  auto asked = question(record);
  asked.history = {timing("slow card", "dcgan", 64, 0.101),
                   timing("slow card", "dcgan", 128, 0.103)};
  EXPECT_THAT(time_on_device(asked).flagged, Optional(HasSubstr("of the step do not grow")));
}

TEST_F(TimeOnDevice, PrefersOtherWorkloadsOfTheHistory) {
  const auto record = record_of({});
  auto asked = question(record);
  for (const auto* workload : {"a", "b", "c", "d"}) {
    asked.history.push_back(timing("slow card", workload, 0, 0.3));
    asked.history.push_back(timing("fast card", workload, 0, 0.1));
    asked.history.push_back(timing("other card", workload, 0, 9));
  }
  const auto on_device = time_on_device(asked);
  EXPECT_EQ(std::get<device::TierRatio>(on_device.answer).tier, "reference_ratios");
  EXPECT_NEAR(on_device.time(0.1).value, 0.1 / 3, 1e-9);
}

TEST_F(TimeOnDevice, UsesTheWholeTrainingWhereStepsWereNotRecorded) {
  auto record = made_record({.epochs = 2, .gpu = "slow card"});
  record.work.front().iterations_per_epoch = 4;
  const auto asked = question(record);
  const auto on_device = time_on_device(asked);
  EXPECT_FALSE(on_device.step.parts);
  EXPECT_NEAR(on_device.step.measured.time_s, 21.0 * 256 / 2000, 1e-9);
  EXPECT_THAT(on_device_tables(asked, on_device)[1].notes,
              Contains(HasSubstr("single steps were not recorded")));
  record.epochs.clear();
  EXPECT_THAT(error_of([&] { time_on_device(asked); }), HasSubstr("has neither steps nor epochs"));
}

TEST_F(TimeOnDevice, UsesTheEpochsOfARunThatIsOnlyBegun) {
  auto record = made_record({.epochs = 3, .gpu = "slow card"});
  for (auto& row : record.parameters) {
    row.value = row.name == "epochs" ? "90" : row.value.str();
  }
  const auto on_device = time_on_device(question(record));
  EXPECT_DOUBLE_EQ(on_device.step.measured.time_s, 10 / 4.0) << "4 iterations, without the first";
  EXPECT_EQ(on_device.refusal(), std::nullopt);
}

TEST_F(TimeOnDevice, AddsTheErrorsOfARunHereToThoseOfTheDevice) {
  const auto record = record_of({});
  const auto on_device = time_on_device(question(record));
  const auto exact =
      run_on_device({.total_s = {100, {100, 100}, {100, 100}}, .fixed_s = 0}, on_device);
  EXPECT_NEAR(exact.value, 50, 1e-9);
  EXPECT_NEAR(exact.interval_80.high, on_device.time(100).interval_80.high, 1e-9);
  const auto vague =
      run_on_device({.total_s = {110, {90, 130}, {80, 140}}, .fixed_s = 10}, on_device);
  EXPECT_NEAR(vague.value, 60, 1e-9) << "the fixed part stays as it is";
  EXPECT_NEAR(vague.interval_80.high - 60,
              std::hypot(exact.interval_80.high - 50, 20 * 60 / 110.0, host_uncertainty * 10),
              1e-9);
  EXPECT_GE(vague.interval_95.low, 0);
  EXPECT_LT(vague.interval_95.low, vague.interval_80.low);
}

TEST_F(TimeOnDevice, NamesFiguresThatAreNotChecked) {
  database[1].figures.bandwidth_gb_s.checked = false;
  const auto record = record_of({});
  const auto asked = question(record);
  EXPECT_THAT(on_device_tables(asked, time_on_device(asked))[1].notes,
              Contains("fast: not checked in the device database: bandwidth_gb_s"));
}

TEST_F(TimeOnDevice, DoublesWithTheRecordedTimes) {
  const auto record = record_of({});
  auto twice = record;
  for (auto& iteration : twice.iterations) {
    for (auto* value : {&iteration.start_s, &iteration.step_s, &iteration.device_s}) {
      *value *= 2;
    }
  }
  const auto once_time = time_on_device(question(record)).time(0.1);
  const auto twice_time = time_on_device(question(twice)).time(0.2);
  EXPECT_NEAR(twice_time.value, 2 * once_time.value, 1e-9);
  EXPECT_NEAR(twice_time.interval_80.high, 2 * once_time.interval_80.high, 1e-9);
}

// The procedure was closed on other data (c5a51ff) before it was asked this. What it says is kept
// here whatever it is: not a test that it hits the 2.746 that the lab observed.
TEST(LabsRatio, IsWhatTheFrozenProcedureGivesForItsT4Record) {
  record::Record record = made_record({.epochs = 20, .epoch_s = 76, .gpu = "T4"});
  record.work.front() = {.flops_per_sample = 2.692e9,
                         .samples_per_epoch = 40597,
                         .iterations_per_epoch = 159,
                         .precision = "fp32"};
  const auto database = device::read_device_database(device::device_database_folder());
  const auto on_device = time_on_device({.record = &record,
                                         .database = &database,
                                         .from = &device::find_device(database, "t4"),
                                         .to = &device::find_device(database, "v100_sxm2")});
  ASSERT_TRUE(std::holds_alternative<device::TierRatio>(on_device.answer));
  const auto& answer = std::get<device::TierRatio>(on_device.answer);
  EXPECT_EQ(answer.tier, "achieved_rates");
  EXPECT_NEAR(1 / answer.ratio.value, std::sqrt(13.24 / 4.19 * 739 / 239), 1e-9);  // 3.126
  EXPECT_NEAR(std::exp(-answer.ratio.width_80) / answer.ratio.value, 2.46, 0.005);
  EXPECT_NEAR(std::exp(answer.ratio.width_80) / answer.ratio.value, 3.98, 0.005);
}

}  // namespace
}  // namespace epochcast::analysis
