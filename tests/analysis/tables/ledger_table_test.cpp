// What a ledger's table says of forecasts, and that runs cut off count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::HasSubstr;

/// A forecast of 100 s, 80 to 120 s; asked for 180 s.
ledger::LedgerRow row(const std::string& point, const std::string& outcome, double took_s,
                      bool censored = false) {
  ledger::LedgerRow row;
  row.out = "/out";
  row.point = point;
  row.allocation = "cpu2";
  row.forecast_s = 100;
  row.low_80_s = 90;
  row.high_80_s = 110;
  row.low_95_s = 80;
  row.high_95_s = 120;
  row.naive_s = 150;
  row.needed_s = 150;
  row.lead_s = 10;
  row.asked_s = 180;
  row.outcome = parse_enum<ledger::Outcome>(outcome).value();
  row.actual_s = took_s;
  row.used_s = took_s;
  row.censored = censored;
  return row;
}

class LedgerTable : public ::testing::Test {
 protected:
  std::vector<table::Table> tables(const std::vector<ledger::LedgerRow>& rows) {
    ledger::put_in_ledger(ledger::ledger_of(folder_.path()), rows);
    return tables::all().at("ledger").of_files({folder_.path()}, {});
  }
  /// A cell of the summary's last row, which is of all.
  static std::string all(const std::vector<table::Table>& tables, const std::string& key) {
    const auto& table = tables.at(1);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == key) {
        return table::cell_text(table.rows.back()[i], table.columns[i]);
      }
    }
    ADD_FAILURE() << "no column " << key;
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(LedgerTable, SummarizesErrorCoverageAndHours) {
  const auto made =
      tables({row("a", "complete", 100), row("b", "complete", 125), row("c", "complete", 85)});
  EXPECT_EQ(all(made, "scored"), "3");
  EXPECT_EQ(all(made, "median_error_percent"), "17.6");
  EXPECT_EQ(all(made, "naive_median_error_percent"), "50.0");
  EXPECT_EQ(all(made, "coverage_80_percent"), "33.3");
  EXPECT_EQ(all(made, "coverage_95_percent"), "66.7");
  EXPECT_EQ(all(made, "asked_h"), "0.15");
  EXPECT_EQ(all(made, "asked_per_used"), "1.74");
  EXPECT_EQ(all(made, "beside_lead_per_used"), "1.35") << "150 s without the lead of 10 s, thrice";
  EXPECT_EQ(all(made, "hit_limit"), "0");
}

TEST_F(LedgerTable, ARunCutOffCountsAsLongerThanItRan) {
  const auto made = tables(
      {row("a", "stopped", 130, true), row("b", "stopped", 50, true), row("c", "complete", 100)});
  EXPECT_EQ(all(made, "censored"), "2");
  EXPECT_EQ(all(made, "scored"), "3");
  EXPECT_EQ(all(made, "hit_limit"), "1") << "the other was ended long before its limit";
  EXPECT_EQ(all(made, "coverage_95_percent"), "50.0")
      << "outlived: outside; cut off within: cannot be said";
}

TEST_F(LedgerTable, RowsWithoutATimeAreCountedNotScored) {
  auto refused = row("r", "complete", 100);
  refused.forecast_s = ledger::not_known;
  const auto made = tables(
      {row("a", "", ledger::not_known), row("f", "failed", 5), refused, row("c", "complete", 100)});
  EXPECT_EQ(all(made, "n"), "4");
  EXPECT_EQ(all(made, "open"), "1");
  EXPECT_EQ(all(made, "refused"), "1");
  EXPECT_EQ(all(made, "scored"), "1");
}

TEST_F(LedgerTable, ReportsWhereThereIsNone) {
  EXPECT_THAT(error_of([&] { tables::all().at("ledger").of_files({folder_ / "none.csv"}, {}); }),
              HasSubstr("none.csv: no such ledger"));
}

}  // namespace
}  // namespace epochcast::analysis
