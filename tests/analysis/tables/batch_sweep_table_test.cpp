#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A run of these steps.
record::Record run_of_steps(std::int64_t batch, const std::vector<double>& steps_s) {
  auto record = made_record({.batch = batch});
  double start_s = 0;
  for (const double step_s : steps_s) {
    record.iterations.push_back({.epoch = 0,
                                 .index = std::ssize(record.iterations),
                                 .start_s = start_s,
                                 .step_s = step_s,
                                 .samples = batch});
    start_s += step_s;
  }
  return record;
}

/// A run of forty steps of `step_s`.
record::Record batch_run(std::int64_t batch, double step_s,
                         const std::string& allocation = "cpu2") {
  auto record = run_of_steps(batch, std::vector(40, step_s));
  record.header.allocation = allocation;
  return record;
}

std::vector<table::Table> batch_tables(const std::vector<record::Record>& records) {
  std::vector<LoadedRecord> all;
  for (const auto& record : records) {
    all.push_back(loaded(record));
  }
  return tables::all().at("batch_sweep").make(all, {});
}

TEST(BatchSweepTable, ShowsTimeAndThroughputByBatchSize) {
  const auto tables = batch_tables({batch_run(4, 0.018), batch_run(1, 0.012), batch_run(2, 0.014)});
  const auto& batches = part_of(tables, "batch_sweep");
  EXPECT_THAT(column_of(batches, "batch"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(column_of(batches, "batch_ms"), ElementsAre("12.000", "14.000", "18.000"));
  EXPECT_THAT(column_of(batches, "p99_ms"), ElementsAre("12.000", "14.000", "18.000"));
  EXPECT_THAT(column_of(batches, "items_per_s"), ElementsAre("83.3", "142.9", "222.2"));
}

TEST(BatchSweepTable, ShowsTheMostMemoryHeldOnTheDeviceThatComputes) {
  constexpr double mib = 1024 * 1024;
  auto on_cpu = batch_run(1, 0.012);
  on_cpu.metrics = {{0, "peak_memory_bytes", 300 * mib}, {1, "peak_memory_bytes", 400 * mib}};
  auto again = batch_run(1, 0.012);
  again.metrics = {{0, "peak_memory_bytes", 500 * mib}};
  auto on_gpu = batch_run(2, 0.012);
  on_gpu.metrics = {{0, "peak_memory_bytes", 900 * mib}, {0, "peak_gpu_memory_bytes", 70 * mib}};
  const auto tables = batch_tables({on_cpu, again, on_gpu, batch_run(4, 0.012)});
  EXPECT_THAT(column_of(part_of(tables, "batch_sweep"), "peak_memory_mib"),
              ElementsAre("500", "70", ""));
}

TEST(BatchSweepTable, SplitsABatchIntoLaunchAndItems) {
  const auto tables = batch_tables({batch_run(1, 0.012), batch_run(2, 0.014), batch_run(4, 0.018)});
  const auto& costs = part_of(tables, "batch_cost");
  EXPECT_THAT(column_of(costs, "launch_ms"), ElementsAre("10.000"));
  EXPECT_THAT(column_of(costs, "item_ms"), ElementsAre("2.0000"));
  EXPECT_THAT(column_of(costs, "error_percent"), ElementsAre("0.0"));
  EXPECT_THAT(column_of(costs, "efficient_batch"), ElementsAre("45"));
  EXPECT_THAT(column_of(costs, "best_batch"), ElementsAre("4"));
}

TEST(BatchSweepTable, FitsNothingThroughTwoSizes) {
  for (const auto& table : batch_tables({batch_run(1, 0.012), batch_run(2, 0.014)})) {
    EXPECT_NE(table.name, "batch_cost");
  }
}

TEST(BatchSweepTable, TakesNoShortLastStepForAWholeOne) {
  auto record = run_of_steps(8, {0.5, 0.001});
  record.iterations.back().samples = 1;
  const auto tables = batch_tables({record});
  const auto& batches = part_of(tables, "batch_sweep");
  EXPECT_THAT(column_of(batches, "batch_ms"), ElementsAre("500.000"));
  EXPECT_THAT(column_of(batches, "items_per_s"), ElementsAre("")) << "it is cold";
  EXPECT_THAT(column_of(batches, "remark"), ElementsAre("only a first step"));
}

TEST(BatchSweepTable, ExcludesTheColdFirstStepOfShortRuns) {
  auto single = run_of_steps(4, {11});
  single.work.front().iterations_per_epoch = 1;
  const auto tables =
      batch_tables({run_of_steps(1, {0.5, 0.002, 0.002, 0.002}), run_of_steps(2, {0.5, 0.003}),
                    single, run_of_steps(8, {0.5, 0.009, 0.009})});
  const auto& batches = part_of(tables, "batch_sweep");
  EXPECT_THAT(column_of(batches, "batch_ms"), ElementsAre("2.000", "3.000", "11000.000", "9.000"));
  EXPECT_THAT(column_of(batches, "p99_ms"), ElementsAre("2.000", "3.000", "", "9.000"));
  EXPECT_THAT(column_of(batches, "remark"), ElementsAre("", "", "only a first step", ""));
  const auto& costs = part_of(tables, "batch_cost");
  EXPECT_THAT(column_of(costs, "sizes"), ElementsAre("3"));
  EXPECT_THAT(column_of(costs, "launch_ms"), ElementsAre("1.000"));
}

TEST(BatchSweepTable, SplitsNothingWhereTimesGoByNoSuchLaw) {
  const auto tables = batch_tables({batch_run(1, 0.5), batch_run(2, 0.001), batch_run(4, 0.001)});
  const auto& costs = part_of(tables, "batch_cost");
  EXPECT_THAT(column_of(costs, "launch_ms"), ElementsAre(""));
  EXPECT_THAT(column_of(costs, "item_ms"), ElementsAre(""));
  EXPECT_THAT(column_of(costs, "efficient_batch"), ElementsAre(""));
  EXPECT_THAT(column_of(costs, "best_batch"), ElementsAre("4"));
  EXPECT_THAT(costs.notes, Contains(HasSubstr("misses a size by more than 25 %")));
}

TEST(BatchSweepTable, ShowsTheItemsAndTimeOfAPassAndItsBalancedAccuracy) {
  auto inference = batch_run(1, 0.012);
  inference.parameters.push_back(parameter_row("task", "infer"));
  inference.epochs.push_back({.epoch = 1, .wall_s = 13, .samples = 1000});
  inference.epochs.push_back({.epoch = 2, .wall_s = 14, .samples = 1000});
  inference.metrics.push_back({0, "balanced_accuracy", 0.5});
  inference.metrics.push_back({2, "balanced_accuracy", 0.8125});
  auto training = batch_run(1, 0.012);
  training.metrics.push_back({0, "balanced_accuracy", 0.9});  // of the training as it goes
  training.metrics.push_back({0, "val_balanced_accuracy", 0.7});
  auto imported = batch_run(2, 0.012);
  imported.epochs.clear();
  imported.spans.push_back({"total", 0, 0, 8});
  const auto tables = batch_tables({inference, training, imported});
  const auto& batches = part_of(tables, "batch_sweep");
  EXPECT_THAT(column_of(batches, "task"), ElementsAre("infer", "train", "train"));
  EXPECT_THAT(column_of(batches, "pass_items"), ElementsAre("1000", "1000", "1000"));
  EXPECT_THAT(column_of(batches, "pass_s"), ElementsAre("13.000", "11.000", "8.000"));
  EXPECT_THAT(column_of(batches, "balanced_accuracy_percent"), ElementsAre("81.25", "70.00", ""));
}

TEST(BatchSweepTable, DistinguishesSweepsByWhatElseWasSwept) {
  std::vector<record::Record> records;
  for (const std::string limit : {"100", "20"}) {
    for (const std::int64_t batch : {1, 2}) {
      records.push_back(batch_run(batch, 0.01));
      records.back().parameters.push_back(parameter_row("dataset.limit", limit));
    }
  }
  EXPECT_THAT(column_of(part_of(batch_tables(records), "batch_sweep"), "model"),
              ElementsAre("dcgan dataset.limit=20", "dcgan dataset.limit=20",
                          "dcgan dataset.limit=100", "dcgan dataset.limit=100"));
}

TEST(BatchSweepTable, IsOneSweepWhateverItsDeviceIsTakenAs) {
  auto taken_as_another = batch_run(4, 0.018);
  taken_as_another.parameters.push_back(parameter_row("taken_as", "v100s_pcie"));
  const auto tables = batch_tables({batch_run(1, 0.012), batch_run(2, 0.014), taken_as_another});
  EXPECT_THAT(column_of(part_of(tables, "batch_cost"), "sizes"), ElementsAre("3"));
}

TEST(BatchSweepTable, KeepsAllocationsApart) {
  const auto tables = batch_tables({batch_run(1, 0.012), batch_run(1, 0.024, "cpu1")});
  EXPECT_THAT(column_of(part_of(tables, "batch_sweep"), "allocation"), ElementsAre("cpu2", "cpu1"));
}

TEST(BatchSweepTable, NamesWhatDiffersBetweenModels) {
  auto shallow = batch_run(1, 0.012);
  auto deep = shallow;
  for (auto* record : {&shallow, &deep}) {
    record->parameters.push_back(parameter_row("model.dropout", "0.1"));
  }
  shallow.parameters.push_back(parameter_row("model.depth", "2"));
  deep.parameters.push_back(parameter_row("model.depth", "3"));
  EXPECT_THAT(column_of(part_of(batch_tables({shallow, deep}), "batch_sweep"), "model"),
              ElementsAre("dcgan depth=2", "dcgan depth=3"));
  EXPECT_THAT(column_of(part_of(batch_tables({deep}), "batch_sweep"), "model"),
              ElementsAre("dcgan"));
}

TEST(BatchSweepTable, HasARowForASizeThatDidNotFitAndNoneForAnotherFailure) {
  auto too_large = batch_run(512, 1);
  too_large.header.outcome = "failed";
  too_large.header.outcome_text = "out of memory on the device: tried to allocate 2 GiB";
  auto failed = batch_run(64, 1);
  failed.header.outcome = "failed";
  failed.header.outcome_text = "the data set is not there";
  const auto tables = batch_tables({batch_run(1, 0.012), too_large, failed});
  const auto& batches = part_of(tables, "batch_sweep");
  EXPECT_THAT(column_of(batches, "batch"), ElementsAre("1", "512"));
  EXPECT_THAT(column_of(batches, "batch_ms"), ElementsAre("12.000", ""));
  EXPECT_THAT(column_of(batches, "remark"), ElementsAre("", "out of memory"));
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre(HasSubstr("the data set is not there")));
}

}  // namespace
}  // namespace epochcast::analysis
