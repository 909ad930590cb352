// The examples of docs/contributing.md, which are compiled into this program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "analysis/import/importer.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {

namespace tables {
TableSpec epoch_range();
}
namespace importers {
ImporterSpec seconds();
}

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ContributingGuide, TableExamplePrintsTheFastestAndTheSlowestEpoch) {
  const auto tables = tables::epoch_range().make(
      {loaded(made_record({.epochs = 3})), {"empty.h5", record::Record{}}}, {});
  const auto& table = part_of(tables, "epoch_range");
  EXPECT_THAT(column_of(table, "fastest_s"), ElementsAre("10.00"));
  EXPECT_THAT(column_of(table, "slowest_s"), ElementsAre("11.00"));
  EXPECT_THAT(table.notes, ElementsAre("empty.h5: no epochs"));
}

TEST(ContributingGuide, ImporterExampleReadsEpochsAndReportsBrokenLines) {
  const TemporaryFolder folder;
  std::ofstream(folder / "times.txt") << "12.5\n\nfast\n11\n";
  const auto imported = importers::seconds().read(folder / "times.txt", {});
  ASSERT_EQ(imported.records.size(), 1U);
  ASSERT_EQ(imported.records[0].epochs.size(), 2U);
  EXPECT_EQ(imported.records[0].epochs[1].wall_s, 11);
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("times.txt:3: ")));
}

}  // namespace
}  // namespace epochcast::analysis
