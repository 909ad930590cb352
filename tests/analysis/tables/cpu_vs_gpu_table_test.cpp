#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// As they come out of records that went through files.
LoadedRecords published(const std::string& study) {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read(study, {}).records, folder.path());
  return record::load_records({folder.path()});
}

std::vector<table::Table> cpu_vs_gpu_tables(const std::vector<LoadedRecord>& records) {
  return tables::all().at("cpu_vs_gpu").make(records, {});
}

/// A run of `model` whose one epoch takes `total_s`, on a V100 or on two CPUs.
LoadedRecord timed_run(const std::string& model, const std::string& allocation, double total_s,
                       std::int64_t repeat = 0) {
  auto record = made_record({.allocation = allocation,
                             .repeat = repeat,
                             .epoch_s = total_s - 1,
                             .cpus = allocation == "cpu16" ? 16 : 2,
                             .gpu = allocation == "v100" ? "Tesla V100-SXM2-16GB" : ""});
  record.header.point = model + "." + record.header.point.str();
  record.parameters.front().value = model;
  record.work.front().iterations_per_epoch = 4;
  return loaded(record);
}

/// The same, cut short after 40 steps of `step_s`.
LoadedRecord short_run_of(const std::string& model, const std::string& allocation, double step_s) {
  auto run = timed_run(model, allocation, 2);
  run.record.epochs.clear();
  for (std::int64_t i = 0; i < 40; ++i) {
    run.record.iterations.push_back(
        {.index = i, .start_s = static_cast<double>(i) * step_s, .step_s = step_s, .samples = 256});
  }
  return run;
}

TEST(CpuVsGpuTable, MarksARatioBetweenDifferentVersionsOfALibrary) {
  auto on_cpu = timed_run("mlp", "cpu2", 10);
  auto on_gpu = timed_run("mlp", "v100", 5);
  on_cpu.record.machines.front().libraries = "LibTorch 2.11.0, AVX2";
  on_gpu.record.machines.front().libraries = "LibTorch 2.7.1, AVX512, cuDNN 90501";
  EXPECT_THAT(column_of(part_of(cpu_vs_gpu_tables({on_cpu, on_gpu}), "cpu_vs_gpu"), "remark"),
              ElementsAre("different libraries: LibTorch 2.11.0 and 2.7.1"));
  on_gpu.record.machines.front().libraries = "LibTorch 2.11.0, AVX512, cuDNN 90501";
  EXPECT_THAT(column_of(part_of(cpu_vs_gpu_tables({on_cpu, on_gpu}), "cpu_vs_gpu"), "remark"),
              ElementsAre(""));
}

TEST(CpuVsGpuTable, TakesTheGpusTimeHoweverFarTheHostRanAhead) {
  for (const std::size_t queue : {2, 1000}) {
    auto on_gpu = loaded(queued_record({.queue = queue}));
    on_gpu.record.header.allocation = "v100";
    auto on_cpu = loaded(queued_record({.device_s = 0, .launch_s = 0.2, .made = {.epochs = 3}}));
    for (auto& row : on_cpu.record.iterations) {
      row.device_s = 0;
    }
    on_gpu.record.epochs.clear();  // ended early
    on_cpu.record.epochs.clear();
    const auto table = part_of(cpu_vs_gpu_tables({on_cpu, on_gpu}), "cpu_vs_gpu");
    EXPECT_NEAR(parse_double(column_of(table, "ratio").at(0)).value(), 10, 0.5) << queue;
  }
}

TEST(CpuVsGpuTable, ExplainsWhyThereIsNoRowForOneAllocation) {
  const auto tables = cpu_vs_gpu_tables({timed_run("mlp", "cpu2", 10)});
  EXPECT_THAT(part_of(tables, "cpu_vs_gpu").notes,
              Contains("no rows: a ratio needs runs of one model on two allocations"));
}

TEST(CpuVsGpuTable, GivesThePublishedSecondsOfTenThousandPicturesToTheDigit) {
  const auto tables = cpu_vs_gpu_tables(published("image_inference").records);
  const auto times = part_of(tables, "cpu_vs_gpu");
  EXPECT_THAT(column_of(times, "task"), Each("infer"));
  EXPECT_THAT(column_of(times, "first"), ElementsAre("cpu", "mac_cpu"));
  EXPECT_THAT(column_of(times, "second"), ElementsAre("cuda", "cuda"));
  EXPECT_THAT(column_of(times, "first_s"), ElementsAre("2736.0000", "683.0000"));
  EXPECT_THAT(column_of(times, "second_s"), ElementsAre("135.0000", "135.0000"));
  EXPECT_THAT(column_of(times, "second_items_per_s"), ElementsAre("74.074", "74.074"));
  EXPECT_THAT(column_of(times, "ratio"), ElementsAre("20.27", "5.06"));
  EXPECT_THAT(column_of(times, "forecast_ratio"), ElementsAre("", ""));
  EXPECT_THAT(column_of(part_of(tables, "forecast"), "basis"),
              Each(HasSubstr("0 other workloads measured on both devices")));
}

TEST(CpuVsGpuTable, GivesThePublishedSummaryOfDistilBertToTheDigit) {
  const auto records = published("sst2").records;
  const auto times = part_of(cpu_vs_gpu_tables(records), "cpu_vs_gpu");
  EXPECT_THAT(column_of(times, "first_s"), ElementsAre("25316.1349"));
  EXPECT_THAT(column_of(times, "second_s"), ElementsAre("1008.4567"));
  EXPECT_THAT(column_of(times, "first_items_per_s"), ElementsAre("13.302"));
  EXPECT_THAT(column_of(times, "second_items_per_s"), ElementsAre("333.921"));
  EXPECT_THAT(column_of(times, "ratio"), ElementsAre("25.10"));
  for (const auto& [path, record] : records) {
    const double total_s = *total_training_s(record);
    const auto steps = static_cast<double>(5 * record.work.front().iterations_per_epoch);
    EXPECT_EQ(steps, 1320);
    EXPECT_NEAR(steps / total_s, *last_metric(record, "steps_per_s"), 5e-4);
    EXPECT_NEAR(samples_of_training(record) / total_s, *last_examples_per_s(record), 5e-4);
  }
}

TEST(CpuVsGpuTable, ForecastsEachModelFromTheOthersAlone) {
  std::vector<LoadedRecord> records;
  for (const auto& [model, total_s] :
       {std::pair("a", 100.0), {"b", 200.0}, {"c", 300.0}, {"d", 400.0}}) {
    records.push_back(timed_run(model, "cpu2", total_s));
    records.push_back(timed_run(model, "v100", total_s / (model == std::string("d") ? 40 : 10)));
  }
  const auto times = part_of(cpu_vs_gpu_tables(records), "cpu_vs_gpu");
  EXPECT_THAT(column_of(times, "ratio"), ElementsAre("10.00", "10.00", "10.00", "40.00"));
  EXPECT_EQ(column_of(times, "forecast_ratio").back(), "10.00");
  EXPECT_EQ(column_of(times, "error_percent").back(), "-75.0");
}

TEST(CpuVsGpuTable, KeepsWhatWasNotMeasuredOrDidNotFit) {
  auto too_large = timed_run("large", "v100", 10);
  too_large.record.header.outcome = "failed";
  too_large.record.header.outcome_text = "out of memory on the device: tried to allocate 2 GiB";
  too_large.record.work.clear();  // it never came to counting
  const auto times = part_of(cpu_vs_gpu_tables({timed_run("large", "cpu2", 100), too_large,
                                                timed_run("small", "cpu2", 10)}),
                             "cpu_vs_gpu");
  EXPECT_THAT(column_of(times, "model"), ElementsAre("large", "small"));
  EXPECT_THAT(column_of(times, "first_s"), ElementsAre("100.0000", "10.0000"));
  EXPECT_THAT(column_of(times, "second_s"), ElementsAre("", ""));
  EXPECT_THAT(column_of(times, "remark"),
              ElementsAre("out of memory on v100", "not measured on v100"));
}

TEST(CpuVsGpuTable, ComparesCpusWhereThereIsNoGpu) {
  const auto times = part_of(
      cpu_vs_gpu_tables({timed_run("a", "cpu16", 40), timed_run("a", "cpu2", 100)}), "cpu_vs_gpu");
  EXPECT_THAT(column_of(times, "first"), ElementsAre("cpu2"));
  EXPECT_THAT(column_of(times, "second"), ElementsAre("cpu16"));
  EXPECT_THAT(column_of(times, "ratio"), ElementsAre("2.50"));
}

TEST(CpuVsGpuTable, HasAnIntervalWhereBothWereRepeated) {
  std::vector<LoadedRecord> records{timed_run("a", "cpu2", 100), timed_run("a", "v100", 10)};
  EXPECT_THAT(column_of(part_of(cpu_vs_gpu_tables(records), "cpu_vs_gpu"), "low_95_ratio"),
              ElementsAre(""));
  records.push_back(timed_run("a", "cpu2", 104, 1));
  records.push_back(timed_run("a", "v100", 10.2, 1));
  const auto times = part_of(cpu_vs_gpu_tables(records), "cpu_vs_gpu");
  const double low = std::stod(column_of(times, "low_95_ratio").front());
  const double high = std::stod(column_of(times, "high_95_ratio").front());
  // Scatters of two repeats are |ln(a / b)| / sqrt(2); medians of two halve their squares;
  // Student's t of one degree of freedom reaches 12.706 deviations.
  const double width = 12.706 * std::hypot(std::log(1.04), std::log(1.02)) / 2;
  EXPECT_NEAR(low, 102 / 10.1 * std::exp(-width), 0.01);
  EXPECT_NEAR(high, 102 / 10.1 * std::exp(width), 0.01);
}

TEST(CpuVsGpuTable, TakesTheStepsOfRunsThatWereCutShort) {
  const auto times =
      part_of(cpu_vs_gpu_tables({short_run_of("a", "cpu2", 0.2), short_run_of("a", "v100", 0.01)}),
              "cpu_vs_gpu");
  EXPECT_THAT(column_of(times, "first_s"), ElementsAre(""));
  EXPECT_THAT(column_of(times, "first_items_per_s"), ElementsAre("1280.000"));
  EXPECT_THAT(column_of(times, "ratio"), ElementsAre("20.00"));
}

TEST(CpuVsGpuTable, ExcludesWhatMayNotBeCompared) {
  auto tainted = timed_run("a", "v100", 10);
  tainted.record.header.tainted = "another GPU";
  EXPECT_THAT(
      column_of(part_of(cpu_vs_gpu_tables({timed_run("a", "cpu2", 100), tainted}), "excluded"),
                "reason"),
      ElementsAre(StartsWith("tainted")));
}

}  // namespace
}  // namespace epochcast::analysis
