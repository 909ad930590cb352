#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A data-parallel run: `nodes` times `tasks` processes of a thread each.
struct MadeRanks {
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;
  double epoch_s = 100;
  std::int64_t batch = 16;  ///< Each.
  std::int64_t repeat = 0;
  bool one_machine = false;  ///< Its nodes have names of their own, but one kernel.
};

record::Record made_ranks(const MadeRanks& run) {
  auto record = made_record({.allocation = fmt::format("{}x{}", run.nodes, run.tasks),
                             .epochs = 3,
                             .repeat = run.repeat,
                             .epoch_s = run.epoch_s,
                             .cpus = 1,
                             .batch = run.batch});
  record.allocation.push_back({"nodes", std::to_string(run.nodes), "", ""});
  record.allocation.push_back({"tasks_per_node", std::to_string(run.tasks), "", ""});
  const auto machine = record.machines.front();
  record.machines.clear();
  for (std::int64_t rank = 0; rank < run.nodes * run.tasks; ++rank) {
    auto& one = record.machines.emplace_back(machine);
    one.rank = rank;
    one.host = fmt::format("node{}", rank / run.tasks);
    one.boot_id = fmt::format("boot{}", run.one_machine ? 0 : rank / run.tasks);
    one.hardware_threads = 2;
  }
  return record;
}

std::vector<table::Table> scaling_of(const std::vector<MadeRanks>& runs,
                                     const TableOptions& options = {}) {
  std::vector<LoadedRecord> records;
  for (const auto& run : runs) {
    records.push_back(loaded(made_ranks(run)));
  }
  return tables::all().at("scaling").make(records, options);
}

TEST(ScalingTable, GivesSpeedUpAndEfficiencyOfAWeakSeries) {
  const auto tables = scaling_of({{.tasks = 4, .epoch_s = 40},
                                  {.tasks = 1, .epoch_s = 100},
                                  {.nodes = 2, .tasks = 4, .epoch_s = 25},
                                  {.tasks = 2, .epoch_s = 62.5}});
  const auto& table = part_of(tables, "scaling");
  EXPECT_THAT(column_of(table, "series"), Each("weak, 16 each"));
  EXPECT_THAT(column_of(table, "workers"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(column_of(table, "kind"), Each("processes"));
  EXPECT_THAT(column_of(table, "nodes"), ElementsAre("1", "1", "1", "2"));
  EXPECT_THAT(column_of(table, "samples_per_s"), ElementsAre("10.0", "16.0", "25.0", "40.0"));
  EXPECT_THAT(column_of(table, "speedup"), ElementsAre("1.00", "1.60", "2.50", "4.00"));
  EXPECT_THAT(column_of(table, "efficiency_percent"), ElementsAre("100.0", "80.0", "62.5", "50.0"));
}

TEST(ScalingTable, ExcludesARecordWithoutSamplesWithThatReason) {
  auto without = made_ranks({.tasks = 4});
  std::erase_if(without.parameters,
                [](const auto& parameter) { return parameter.name.view() == "batch"; });
  for (auto& epoch : without.epochs) {
    epoch.samples = 0;
  }
  const auto tables = tables::all().at("scaling").make(
      {loaded(made_ranks({.tasks = 1})), loaded(made_ranks({.tasks = 2})), loaded(without)}, {});
  EXPECT_THAT(column_of(part_of(tables, "scaling"), "workers"), ElementsAre("1", "2"));
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre("does not state its samples per step"));
}

TEST(ScalingTable, DistinguishesWeakFromStrongByTheSamplesOfAStep) {
  const auto tables = scaling_of({{.tasks = 1, .batch = 64},
                                  {.tasks = 2, .epoch_s = 50, .batch = 64},
                                  {.tasks = 2, .epoch_s = 60, .batch = 32},
                                  {.tasks = 4, .epoch_s = 40, .batch = 16}});
  const auto& table = part_of(tables, "scaling");
  EXPECT_THAT(column_of(table, "series"),
              ElementsAre("weak, 64 each", "weak, 64 each", "strong, 64 in all",
                          "strong, 64 in all", "strong, 64 in all"));
  EXPECT_THAT(column_of(table, "speedup"), ElementsAre("1.00", "2.00", "1.00", "1.67", "2.50"));
}

TEST(ScalingTable, TakesThreadsForWorkersWhereThereIsOneProcess) {
  std::vector<LoadedRecord> records;
  for (const std::int64_t cpus : {1, 2, 4}) {
    records.push_back(loaded(made_record({.allocation = fmt::format("cpu{}", cpus),
                                          .epochs = 2,
                                          .epoch_s = 40 / static_cast<double>(cpus),
                                          .cpus = cpus})));
  }
  const auto tables = tables::all().at("scaling").make(records, {});
  const auto& table = part_of(tables, "scaling");
  EXPECT_THAT(column_of(table, "series"), Each("strong, 256 in all"));
  EXPECT_THAT(column_of(table, "kind"), Each("CPUs"));
  EXPECT_THAT(column_of(table, "speedup"), ElementsAre("1.00", "2.00", "4.00"));
}

TEST(ScalingTable, DoesNotCompareProcessesOfOneThreadWithThoseOfTwo) {
  auto two_threads = made_ranks({.tasks = 1, .epoch_s = 60});
  two_threads.machines.front().threads_used = 2;
  two_threads.header.allocation = "wide";
  const auto tables = tables::all().at("scaling").make(
      {loaded(made_ranks({})), loaded(made_ranks({.tasks = 2, .epoch_s = 50})),
       loaded(two_threads)},
      {});
  EXPECT_THAT(column_of(part_of(tables, "scaling"), "speedup"), ElementsAre("1.00", "2.00"));
  EXPECT_EQ(part_of(tables, "excluded").rows.size(), 1u);
}

TEST(ScalingTable, DistinguishesSeriesByWhatElseWasSwept) {
  std::vector<LoadedRecord> records;
  for (const std::string limit : {"100", "20"}) {
    for (const std::int64_t tasks : {1, 2}) {
      records.push_back(loaded(made_ranks({.tasks = tasks})));
      records.back().record.parameters.push_back(parameter_row("dataset.limit", limit));
    }
  }
  const auto tables = tables::all().at("scaling").make(records, {});
  EXPECT_THAT(
      column_of(part_of(tables, "scaling"), "series"),
      ElementsAre("weak, 16 each, dcgan dataset.limit=20", "weak, 16 each, dcgan dataset.limit=20",
                  "weak, 16 each, dcgan dataset.limit=100",
                  "weak, 16 each, dcgan dataset.limit=100"));
}

TEST(ScalingTable, IsOneSeriesWhateverChangesNotTheTimeOfAStep) {
  std::vector<LoadedRecord> records;
  for (const std::int64_t tasks : {1, 2}) {
    records.push_back(loaded(made_ranks({.tasks = tasks})));
  }
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"schedule", "linear"},
                                                        {"warmup_updates", "10"},
                                                        {"warmup_epochs", "1"},
                                                        {"evaluate_every", "5"},
                                                        {"best_by", "val_loss"}}) {
    records.back().record.parameters.push_back(parameter_row(name, value));
  }
  const auto tables = tables::all().at("scaling").make(records, {});
  EXPECT_THAT(column_of(part_of(tables, "scaling"), "workers"), ElementsAre("1", "2"));
  records.back().record.parameters.push_back(parameter_row("clip_norm", "1"));
  EXPECT_EQ(part_of(tables::all().at("scaling").make(records, {}), "excluded").rows.size(), 2u);
}

TEST(ScalingTable, FitsBothLawsOnEachNumberOfNodes) {
  // Amdahl with a fifth serial.
  const auto time = [](double n) { return 100 * (0.2 + 0.8 / n); };
  const auto tables = scaling_of({{.tasks = 1, .epoch_s = time(1), .batch = 64},
                                  {.tasks = 2, .epoch_s = time(2), .batch = 32},
                                  {.tasks = 4, .epoch_s = time(4), .batch = 16}});
  const auto& fits = part_of(tables, "serial_share");
  EXPECT_THAT(column_of(fits, "law"), ElementsAre("Amdahl", "Gustafson"));
  EXPECT_THAT(column_of(fits, "made_for_it"), ElementsAre("yes", "no"));
  EXPECT_EQ(column_of(fits, "serial_percent").front(), "20.0");
  EXPECT_EQ(column_of(fits, "low_95_percent").front(), "20.0");
  EXPECT_EQ(column_of(fits, "error_percent").front(), "0.0");
}

TEST(ScalingTable, LeavesTheShareBlankWhereMoreWorkersAreSlower) {
  const auto tables = scaling_of({{.tasks = 1, .epoch_s = 50}, {.tasks = 2, .epoch_s = 300}});
  const auto& fits = part_of(tables, "serial_share");
  EXPECT_THAT(column_of(fits, "serial_percent"), Each(""));
  EXPECT_THAT(column_of(fits, "remark"), Each("more workers are slower: no law"));
}

TEST(ScalingTable, DoesNotJoinMachinesOfDifferentKinds) {
  auto of_kind = [](std::int64_t cpus, const std::string& model) {
    auto record = made_record({.allocation = fmt::format("cpu{}", cpus), .cpus = cpus});
    record.machines.front().cpu_model = model;
    return loaded(record);
  };
  const auto tables = tables::all().at("scaling").make(
      {of_kind(1, "old"), of_kind(2, "old"), of_kind(4, "new")}, {});
  EXPECT_THAT(column_of(part_of(tables, "scaling"), "workers"), ElementsAre("1", "2"));
  EXPECT_EQ(part_of(tables, "excluded").rows.size(), 1u);
}

/// Two ranks with steps of 8 s, of which they wait 4 and 2 s.
void expect_waiting(const record::Record& record) {
  const auto tables =
      tables::all().at("scaling").make({loaded(made_ranks({})), loaded(record)}, {});
  const auto& table = part_of(tables, "scaling");
  EXPECT_THAT(column_of(table, "exchange_percent"), ElementsAre("", "37.5"));
  EXPECT_THAT(column_of(table, "slowest_rank"), ElementsAre("", "1"));
  EXPECT_THAT(column_of(table, "slower_percent"), ElementsAre("", "20.0"));
}

TEST(ScalingTable, ShowsHowLongRanksWaitedAndWhichWasSlowest) {
  auto record = made_ranks({.tasks = 2, .epoch_s = 60});
  for (std::int64_t index = 0; index < 4; ++index) {
    const double first = index == 0 ? 50 : 0;  // not counted
    record.iterations.push_back(
        {.rank = 0, .index = index, .step_s = first + 8, .gradient_sync_wait_s = 4, .samples = 16});
    record.iterations.push_back(
        {.rank = 1, .index = index, .step_s = first + 8, .gradient_sync_wait_s = 2, .samples = 16});
  }
  expect_waiting(record);
}

TEST(ScalingTable, TakesTheStepsOfGpusFromTheirOwnClocks) {
  auto record = made_ranks({.tasks = 2, .epoch_s = 60});
  for (std::int64_t index = 0; index < 4; ++index) {
    for (const std::int64_t rank : {0, 1}) {
      record.iterations.push_back({.rank = rank,
                                   .index = index,
                                   .step_s = 0.5,  // queued
                                   .device_s = 8,
                                   .gradient_sync_wait_s = rank == 0 ? 4.0 : 2.0,
                                   .samples = 16});
    }
  }
  expect_waiting(record);
}

TEST(ScalingTable, ClaimsNothingOfNodesThatAreOneMachine) {
  const auto tables = scaling_of({{}, {.nodes = 2, .tasks = 2, .one_machine = true}});
  const auto& notes = part_of(tables, "scaling").notes;
  EXPECT_THAT(notes, Contains(HasSubstr("2x2: its 2 nodes are 1 machine")));
  EXPECT_THAT(notes, Contains("2x2: 4 threads on 2 CPUs: they take turns"));
}

TEST(ScalingTable, ExcludesWhatHasNothingToScaleAgainst) {
  auto failed = made_ranks({.tasks = 4});
  failed.header.outcome = "failed";
  failed.header.outcome_text = "rank 2 on node1 ended";
  const auto tables = tables::all().at("scaling").make(
      {loaded(made_ranks({})), loaded(made_ranks({.tasks = 2})), loaded(failed),
       loaded(made_ranks({.tasks = 8, .batch = 10}))},
      {});
  EXPECT_THAT(column_of(part_of(tables, "scaling"), "workers"), ElementsAre("1", "2"));
  EXPECT_THAT(
      column_of(part_of(tables, "excluded"), "reason"),
      ElementsAre("failed: rank 2 on node1 ended", HasSubstr("only in the number of processes")));
}

TEST(PublishedDataParallel, GivesTheStudysSpeedUps) {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read("data_parallel", {}).records, folder.path());
  const auto tables =
      tables::all().at("scaling").make(record::load_records({folder.path()}).records, {});
  const auto& table = part_of(tables, "scaling");
  EXPECT_THAT(column_of(table, "kind"), Each("GPUs"));
  EXPECT_THAT(column_of(table, "workers"), ElementsAre("1", "2", "4", "2", "4", "8"));
  EXPECT_THAT(column_of(table, "nodes"), ElementsAre("1", "1", "1", "2", "2", "2"));
  EXPECT_THAT(column_of(table, "speedup"),
              ElementsAre("1.00", "1.75", "3.40", "1.40", "2.75", "4.02"));
  EXPECT_THAT(column_of(table, "efficiency_percent"),
              ElementsAre("100.0", "87.5", "85.0", "70.0", "68.8", "50.2"));
  EXPECT_THAT(column_of(table, "samples_per_s"), Each(""));  // none was published
  EXPECT_THAT(column_of(part_of(tables, "serial_share"), "nodes"), ElementsAre("1", "1", "2", "2"));
}

}  // namespace
}  // namespace epochcast::analysis
