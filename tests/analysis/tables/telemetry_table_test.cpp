// Tables of telemetry and energy, and disturbed runs in other tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/program.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

record::Record with_usage(MadeRun run, double others_s = 0.1) {
  run.source = "measured";
  auto record = made_record(run);
  for (const auto& epoch : record.epochs) {
    auto row = idle_usage(epoch);
    row.own_cpu_s = epoch.wall_s;
    row.other_cpu_s = others_s;
    row.resident_bytes = 1073741824;
    record.usage.push_back(row);
  }
  return record;
}

std::vector<table::Table> lab(const std::vector<LoadedRecord>& records,
                              const TableOptions& options = {}) {
  return tables_of(tables::all().at("lab"), records, options);
}

const std::vector<LoadedRecord> one_of_three_disturbed{
    loaded(with_usage({.epochs = 1, .repeat = 0, .epoch_s = 10})),
    loaded(with_usage({.epochs = 1, .repeat = 1, .epoch_s = 20}, 15)),
    loaded(with_usage({.epochs = 1, .repeat = 2, .epoch_s = 10.2}))};

TEST(DisturbedRuns, AreLeftOutOfMediansWhereUndisturbedRepeatsExist) {
  const auto tables = lab(one_of_three_disturbed);
  const auto& times = part_of(tables, "lab");
  EXPECT_THAT(column_of(times, "one_epoch_runs"), ElementsAre("2"));
  EXPECT_THAT(column_of(times, "one_epoch_s"), ElementsAre("11.1"));
  EXPECT_THAT(
      times.notes,
      testing::Contains("left out: 1 run that others disturbed, beside undisturbed repeats"));
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre("disturbed: another process used 36 % of the 2 CPUs during epoch 1 (in "
                          "its place: 2 undisturbed runs)"));
}

TEST(DisturbedRuns, StayWithARemarkWhereNoneIsUndisturbed) {
  const auto tables = lab({one_of_three_disturbed[1]});
  EXPECT_THAT(column_of(part_of(tables, "lab"), "one_epoch_runs"), ElementsAre("1"));
  EXPECT_THAT(
      part_of(tables, "lab").notes,
      testing::Contains(HasSubstr("was disturbed, and there is no undisturbed repeat of it: "
                                  "another process used 36 %")));
}

TEST(DisturbedRuns, AreSaidInTheFirstLineWhereTheTableRestsOnThem) {
  const auto title = [](const std::vector<LoadedRecord>& records) {
    return part_of(lab(records), "lab").title;
  };
  const auto other = loaded(with_usage({.allocation = "cpu4", .epochs = 1}, 15));
  EXPECT_THAT(title({one_of_three_disturbed[1], other}),
              testing::EndsWith(" (DISTURBED times: 2 of 2 runs)"));
  EXPECT_THAT(title({one_of_three_disturbed[0], one_of_three_disturbed[1], other}),
              testing::EndsWith(" (DISTURBED times: 1 of 2 runs)"));
  EXPECT_THAT(title(one_of_three_disturbed), testing::Not(HasSubstr("DISTURBED")));
}

TEST(DisturbedRuns, AreNamedInOneNote) {
  std::vector<LoadedRecord> records;
  for (const std::int64_t epochs : {1, 2, 3, 4, 5, 6, 7}) {
    records.push_back(loaded(with_usage({.epochs = epochs}, 15)));
  }
  const auto tables = lab(records);
  EXPECT_THAT(part_of(tables, "lab").notes,
              testing::Contains(testing::AllOf(
                  testing::StartsWith("7 runs were disturbed, and there is no undisturbed repeat"),
                  HasSubstr(" and 2 more; the first: another process used"))));
}

TEST(DisturbedRuns, AreNotThoseBesideOthersThatTookNoTime) {
  const auto beside = [](double others_s) {
    auto record = with_usage({.epochs = 1}, others_s);
    for (auto& row : record.usage) {
      row.cpu_wait_s = 0;
    }
    return loaded(record);
  };
  const auto tables = lab({beside(15), beside(5), beside(0)});
  EXPECT_THAT(part_of(tables, "lab").title, testing::Not(HasSubstr("DISTURBED")));
  EXPECT_THAT(part_of(tables, "lab").notes,
              testing::Contains(testing::MatchesRegex("others used [0-9]+ to [0-9]+ % of the CPUs "
                                                      "of 2 of 3 runs, and took no time from "
                                                      "them")));
}

TEST(DisturbedRuns, AreNotReplacedByOtherWorkOrByRunsThatDoNotCount) {
  auto tainted = with_usage({.epochs = 1, .repeat = 3});
  tainted.header.tainted = "fewer CPUs";
  const auto tables =
      lab({one_of_three_disturbed[1], loaded(tainted), loaded(with_usage({.epochs = 5})),
           loaded(with_usage({.allocation = "cpu4", .epochs = 1}))});
  EXPECT_THAT(column_of(part_of(tables, "lab"), "one_epoch_s"), testing::Contains("21.0"));
}

TEST(DisturbedRuns, StayWhereRepeatsAreSeparated) {
  const auto tables = lab(one_of_three_disturbed, {.by = {"repeat"}});
  EXPECT_THAT(part_of(tables, "lab").rows, SizeIs(3));
}

TEST(TelemetryTable, ShowsRunsAndEpochsAndNamesTheDisturbedOnes) {
  const auto tables = tables_of(tables::all().at("telemetry"), one_of_three_disturbed, {});
  const auto& runs = part_of(tables, "telemetry");
  EXPECT_THAT(column_of(runs, "disturbed"),
              ElementsAre("", "another process used 36 % of the 2 CPUs during epoch 1", ""));
  EXPECT_THAT(column_of(runs, "own_percent"), ElementsAre("50.0", "50.0", "50.0"));
  EXPECT_THAT(column_of(runs, "others_percent"), ElementsAre("0.5", "35.7", "0.4"));
  EXPECT_THAT(column_of(runs, "resident_gib"), ElementsAre("1.00", "1.00", "1.00"));
  EXPECT_THAT(column_of(runs, "steal_percent"), ElementsAre("", "", ""));
  const auto& epochs = part_of(tables, "telemetry_epochs");
  EXPECT_THAT(column_of(epochs, "epoch"), ElementsAre("1", "1", "1"));
  EXPECT_THAT(column_of(epochs, "taken_percent"), ElementsAre("0.2", "35.6", "0.2"));
}

TEST(TelemetryTable, OfARecordWithoutTelemetryIsEmptyAndSaysWhy) {
  const auto tables =
      tables_of(tables::all().at("telemetry"), {loaded(made_record({.epochs = 2}))}, {});
  EXPECT_THAT(column_of(part_of(tables, "telemetry"), "own_percent"), ElementsAre(""));
  EXPECT_THAT(part_of(tables, "telemetry").notes, testing::Contains(HasSubstr("older record")));
  EXPECT_THAT(part_of(tables, "telemetry_epochs").rows, IsEmpty());
}

TEST(TelemetryTable, OfARunThatWasKilledInItsFirstEpochIsOfItsSamples) {
  auto record = made_record({.epochs = 1});
  record.epochs.clear();
  for (const double end_s : {1.0, 2.0}) {
    record::Telemetry row{.end_s = end_s, .duration_s = 1, .cpus = 2};
    row.own_cpu_s = 1;
    row.cpus_busy_s = 1.5;
    record.telemetry.push_back(row);
  }
  const auto tables = tables_of(tables::all().at("telemetry"), {loaded(record)}, {});
  EXPECT_THAT(column_of(part_of(tables, "telemetry"), "own_percent"), ElementsAre("50.0"));
  EXPECT_THAT(column_of(part_of(tables, "telemetry"), "others_percent"), ElementsAre("25.0"));
}

TEST(EnergyTable, IsOfAnEpochAndASampleAndEmptyWhereNotMeasured) {
  auto measured = with_usage({.epochs = 3});
  for (std::size_t i = 0; i < 3; ++i) {
    measured.usage[i].cpu_energy_j = 500 + 10 * static_cast<double>(i);
  }
  auto on_gpu = with_usage({.epochs = 1, .gpu = "Tesla T4"});
  on_gpu.usage[0].gpu_energy_j = 700;
  const auto table =
      part_of(tables_of(tables::all().at("energy"),
                        {loaded(measured), loaded(on_gpu), loaded(made_record({.epochs = 1}))}, {}),
              "energy");
  EXPECT_THAT(column_of(table, "epochs_measured"), ElementsAre("3", "1", "0"));
  EXPECT_THAT(column_of(table, "cpu_j_per_epoch"), ElementsAre("510.0", "", ""));
  EXPECT_THAT(column_of(table, "gpu_j_per_epoch"), ElementsAre("", "700.0", ""));
  EXPECT_THAT(column_of(table, "j_per_epoch"), ElementsAre("510.0", "", ""));
  EXPECT_THAT(column_of(table, "j_per_sample"), ElementsAre("0.5100", "", ""));
  EXPECT_THAT(table.notes, SizeIs(2));
}

TEST_F(Program, PrintsOldRecordsWithoutTelemetry) {
  const auto answer = analyze({"table", "telemetry", good(), "--format=csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto row = csv_rows(answer.out).at(1);
  EXPECT_THAT(row.at("record"), EndsWith("made.cpu2.b256.e5.r0-1.h5"));
  EXPECT_EQ(row.at("allocation"), "cpu2");
  EXPECT_EQ(row.at("epochs"), "");
  EXPECT_EQ(row.at("cpus"), "");
}

}  // namespace
}  // namespace epochcast::analysis
