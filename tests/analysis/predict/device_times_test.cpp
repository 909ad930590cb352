// Files of times on several devices, and what they let one ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/predict/device_methods.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

struct ReadTimings {
  std::vector<Timing> rows;
  ExcludedRows excluded;
};

ReadTimings timings_in(const std::string& text) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", text);
  const auto file = CsvFile::read(folder / "x.csv");
  ReadTimings result;
  result.rows = read_timings(file, result.excluded);
  return result;
}

TEST(Timings, PlainFilesMayLeaveColumnsOut) {
  const auto few = timings_in("workload,device,time_ms\na,t4,250\n");
  ASSERT_THAT(few.rows, SizeIs(1));
  EXPECT_DOUBLE_EQ(few.rows[0].measured.time_s, 0.25);
  EXPECT_DOUBLE_EQ(few.rows[0].measured.batch, 0);
  const auto all = timings_in(
      "workload,device,time_ms,batch,precision,flops,bytes\n"
      "a,t4,250,32,bf16,1e9,1e8\na,t4,-1,32,bf16,1e9,1e8\na,t4,1,none,bf16,1e9,1e8\n"
      "a,t4,1,32,amp,1e9,1e8\n");
  ASSERT_THAT(all.rows, SizeIs(1));
  EXPECT_EQ(all.excluded.count(), 3u);
  const auto& measured = all.rows[0].measured;
  EXPECT_EQ(measured.workload, "a");
  EXPECT_EQ(measured.precision, "bf16");
  EXPECT_DOUBLE_EQ(measured.batch, 32);
  EXPECT_DOUBLE_EQ(measured.work.flops, 1e9);
  EXPECT_DOUBLE_EQ(measured.work.bytes, 1e8);
}

TEST(Timings, NameTheMissingColumn) {
  EXPECT_THAT(error_of([] { timings_in("workload,devise,time_ms\n"); }), HasSubstr("device"));
}

TEST(Timings, ASingleOperatorIsNamed) {
  const auto read = timings_in(
      "workload,device,time_ms,flops,bytes,operator\na,t4,1,1e9,1e8,convolution forward\n"
      "b,t4,1,1e9,1e8,product\nc,t4,1,1e9,1e8,\n");
  ASSERT_THAT(read.rows, SizeIs(3));
  EXPECT_EQ(read.rows[0].measured.kind, "convolution forward");
  EXPECT_DOUBLE_EQ(read.rows[0].measured.work.convolution_flops, 1e9);
  EXPECT_TRUE(read.rows[1].measured.single_operator);
  EXPECT_DOUBLE_EQ(read.rows[1].measured.work.convolution_flops, 0);
  EXPECT_FALSE(read.rows[2].measured.single_operator);
}

Timing timing(const std::string& workload, double batch, const std::string& device, double time_s) {
  Timing result;
  result.measured.workload = workload;
  result.measured.batch = batch;
  result.measured.time_s = time_s;
  result.device = device;
  return result;
}

/// The case of a workload at a batch size.
const DeviceCase& case_of(const DeviceTimes& times, const std::string& workload, double batch) {
  for (const auto& one : times.cases()) {
    if (one.measured.workload == workload && one.measured.batch == batch) {
      return one;
    }
  }
  throw std::logic_error("no such case");
}

TEST(DeviceTimes, AverageRepeatsAndCoverEveryOrderedPair) {
  const DeviceTimes times({timing("a", 0, "x", 1), timing("a", 0, "x", 3), timing("a", 0, "y", 4),
                           timing("b", 0, "x", 1)});
  EXPECT_THAT(times.devices(), ElementsAre("x", "y"));
  EXPECT_DOUBLE_EQ(case_of(times, "a", 0).time_s.at("x"), 2);
  const auto questions = questions_of(times);
  ASSERT_THAT(questions, SizeIs(2));
  EXPECT_DOUBLE_EQ(questions[0].here_s(), 2);
  EXPECT_DOUBLE_EQ(questions[0].there_s(), 4);
  EXPECT_DOUBLE_EQ(questions[1].here_s(), 4);
}

TEST(DeviceTimes, ReferencesNeverContainTheTestedPair) {
  const DeviceTimes times({timing("a", 16, "x", 16), timing("a", 16, "y", 8),
                           timing("a", 32, "x", 32), timing("a", 32, "y", 17),
                           timing("b", 8, "x", 1), timing("b", 8, "y", 3)});
  const auto& asked = case_of(times, "a", 16);
  const auto ratios = [&](bool other_workloads) {
    std::vector<double> values;
    for (const auto& reference : times.references("x", "y", asked, other_workloads, {})) {
      values.push_back(reference.ratio);
    }
    return values;
  };
  EXPECT_THAT(ratios(false), ElementsAre(17.0 / 32, 3));
  EXPECT_THAT(ratios(true), ElementsAre(3));
}

TEST(DeviceTimes, AForecastDoesNotDependOnTheTimeThatItForecasts) {
  const auto references = [](double asked_s) {
    const DeviceTimes times({timing("a", 16, "x", 16), timing("a", 16, "y", 9),
                             timing("a", 32, "x", 32), timing("a", 32, "y", 17),
                             timing("a", 64, "x", 64), timing("a", 64, "y", asked_s)});
    return times.references("x", "y", case_of(times, "a", 64), false, {}).size();
  };
  EXPECT_EQ(references(33), 2u);
  EXPECT_EQ(references(9), 2u) << "with that time the others would seem bound by launching";
}

TEST(DeviceTimes, FlagBatchesThatTheDeviceDoesNotLimit) {
  std::vector<Timing> timings;
  for (const double batch : {16.0, 32.0, 64.0, 512.0}) {
    timings.push_back(timing("a", batch, "x", 100 + batch));
    timings.push_back(timing("a", batch, "y", 100 + batch));
  }
  const DeviceTimes times(timings);
  EXPECT_THAT(times.not_device_bound("x", "y", case_of(times, "a", 16), {}),
              Optional(HasSubstr("x: 86 % of the step do not grow")));
  EXPECT_EQ(times.not_device_bound("x", "y", case_of(times, "a", 512), {}), std::nullopt);
}

TEST(DeviceTimes, FlagAWorkloadThatIsSlowerOnTheBetterDevice) {
  const auto database = device::read_device_database(device::device_database_folder());
  const KnownDevices known_devices{{"k", &device::find_device(database, "k80")},
                                   {"v", &device::find_device(database, "v100_sxm2")}};
  const DeviceTimes times({timing("a", 1, "k", 1), timing("a", 1, "v", 2), timing("a", 2, "k", 2),
                           timing("a", 2, "v", 4), timing("b", 1, "k", 4), timing("b", 1, "v", 1)});
  EXPECT_THAT(times.not_device_bound("k", "v", case_of(times, "a", 1), known_devices),
              Optional(std::string("at other batch sizes v is slower than k")));
  EXPECT_EQ(times.not_device_bound("k", "v", case_of(times, "b", 1), known_devices), std::nullopt);
}

TEST(DeviceMethods, ForgetRatesThatComeFromTheFileTheyAreScoredOn) {
  const DeviceTimes times({timing("a", 0, "t4", 1), timing("a", 0, "v100", 2)});
  EXPECT_TRUE(devices_of(times, "").by_name.at("t4")->figures.achieved_fp32_tflops.known());
  const auto devices = devices_of(times, "DeepBench");
  EXPECT_FALSE(devices.by_name.at("t4")->figures.achieved_fp32_tflops.known());
  EXPECT_TRUE(devices.by_name.at("t4")->figures.achieved_bandwidth_gb_s.known())
      << "another project measured it";
  EXPECT_THAT(devices.notes, testing::Contains(HasSubstr("DeepBench are not used")));
  EXPECT_THAT(devices.notes, testing::Contains(HasSubstr("'v100' may be")));
}

TEST(DeviceMethods, RefuseAADeviceThatTheDatabaseLacks) {
  const DeviceTimes times({timing("a", 0, "t4", 1), timing("a", 0, "abacus", 2)});
  const auto devices = devices_of(times, "");
  for (const auto& method : device_methods(times, devices, questions_of(times))) {
    for (const auto& guess : method.predictions) {
      EXPECT_EQ(guess.has_value(), method.name == "the same time") << method.name;
    }
  }
}

}  // namespace
}  // namespace epochcast::analysis
