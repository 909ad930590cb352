// The table of what jobs used, of five kinds of simulated record and of real accounting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/program.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/five_jobs.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<LoadedRecord> five_records() {
  std::vector<LoadedRecord> records;
  for (const auto& job : five_jobs) {
    records.push_back(loaded(job_record(job)));
  }
  return records;
}

table::Table efficiency_of(const std::vector<LoadedRecord>& records) {
  return tables::all().at("efficiency").make(records, {}).at(0);
}

TEST(EfficiencyTable, HasTheWorstFirst) {
  const auto table = efficiency_of(five_records());
  EXPECT_THAT(column_of(table, "record"),
              ElementsAre("idle_gpu-1.h5", "many_cpus-1.h5", "killed-1.h5", "much_memory-1.h5",
                          "right-1.h5"));
  EXPECT_THAT(column_of(table, "lost_gpu_hours"), ElementsAre("0.17", "", "", "", ""));
  EXPECT_THAT(column_of(table, "lost_cpu_hours"),
              ElementsAre("0.03", "5.02", "0.33", "0.03", "0.03"));
  EXPECT_THAT(column_of(table, "money"),
              ElementsAre("0.0900", "0.0533", "0.0033", "0.0067", "0.0067"));
}

TEST(EfficiencyTable, HasUsedAskedAndNext) {
  const auto table = efficiency_of(five_records());
  EXPECT_THAT(column_of(table, "cpus_asked"), ElementsAre("4.0", "32.0", "4.0", "4.0", "4.0"));
  EXPECT_THAT(column_of(table, "cpus_percent"), ElementsAre("95", "6", "95", "95", "95"));
  EXPECT_THAT(column_of(table, "cpus_next"), ElementsAre("4.0", "2.0", "", "4.0", "4.0"));
  EXPECT_THAT(column_of(table, "memory_percent"), ElementsAre("75", "75", "99", "5", "75"));
  EXPECT_THAT(column_of(table, "memory_next_gib"),
              ElementsAre("8.00", "8.00", "12.00", "3.75", "8.00"));
  EXPECT_THAT(column_of(table, "gpus_next"), ElementsAre("0.0", "", "", "", ""));
  EXPECT_THAT(column_of(table, "limited_by"), Contains(HasSubstr("ended for lack of it")));
}

TEST(EfficiencyTable, IsReadAsAPersonDoes) {
  const TemporaryFolder folder;
  std::vector<record::Record> records;
  for (const auto& job : five_jobs) {
    records.push_back(job_record(job));
  }
  write_records(records, folder / "records");
  const auto shown = process::run_command(
      {"sh", "-c",
       "cd " + folder.path() +
           " && " EPOCHCAST_BINARY_DIR "/epochcast-analyze table efficiency records"},
      60);
  EXPECT_EQ(shown.status, 0) << shown.err;
  expect_golden(shown.out, "efficiency.txt");
}

TEST(EfficiencyTable, LeavesOutJobsThatHaveNotEndedAndSaysSo) {
  auto running = right;
  running.outcome = "running";
  auto records = five_records();
  records.push_back(loaded(job_record(running)));
  const auto table = efficiency_of(records);
  EXPECT_EQ(table.rows.size(), 5);
  EXPECT_THAT(table.notes, Contains("left out: 1 job that have not ended"));
}

TEST(EfficiencyTable, SaysWhatIsNotKnown) {
  auto record = job_record(right);
  record.telemetry.clear();
  EXPECT_THAT(efficiency_of({loaded(record)}).notes,
              Contains("not known: CPUs: there are no samples of telemetry (1 job)"));
}

class EfficiencyOfAccounting : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

/// sacct of Slurm 22.05.8 for jobs on the test cluster (tests/src/slurm/recorded/README.md).
TEST_F(EfficiencyOfAccounting, OfRealJobsThatWereNotOurs) {
  const std::string recorded =
      std::string(EPOCHCAST_SOURCE_DIR) + "/tests/src/slurm/recorded/sacct_use.txt";
  ASSERT_EQ(analyze({"import", "sacct", recorded, "-o", folder_ / "history"}).status, 0);
  const auto shown = analyze({"table", "efficiency", folder_ / "history"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  expect_golden(shown.out, "efficiency_accounting.txt");
}

TEST_F(EfficiencyOfAccounting, RecordsAndHistoriesAreNotMixed) {
  write_records({job_record(right)}, folder_ / "records");
  set_bytes(folder_ / "history.csv", "elapsed_s\n");
  const auto mixed = analyze({"table", "efficiency", folder_ / "records", folder_ / "history.csv"});
  EXPECT_EQ(mixed.status, 1) << "it is no record";
  EXPECT_THAT(mixed.err, HasSubstr("history.csv"));
  const auto records = analyze({"table", "efficiency", folder_ / "records", "--format", "csv"});
  EXPECT_EQ(records.status, 0) << records.err;
  EXPECT_THAT(records.out, HasSubstr("cpus_percent"));
}

}  // namespace
}  // namespace epochcast::analysis
