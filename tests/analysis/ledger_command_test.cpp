// epochcast-analyze ledger, asked of the program as a user would.
#include <gmock/gmock.h>

#include "src/forecast/ledger/ledger.hpp"
#include "tests/analysis/program.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LedgerCommand : public Program {
 protected:
  /// A ledger of `count` forecasts with outcome, from `first` on, and one without.
  std::string made(const std::string& name, int first, int count) {
    std::vector<ledger::LedgerRow> rows;
    for (int i = first; i < first + count; ++i) {
      auto& row = rows.emplace_back();
      row.out = "/home/" + name + "/out";
      row.point = "p" + std::to_string(i);
      row.forecast_s = 100;
      row.low_80_s = row.low_95_s = 90;
      row.high_80_s = row.high_95_s = 110;
      row.outcome = ledger::Outcome::complete;
      row.actual_s = 100 + i;
    }
    rows.emplace_back().point = "not ended";
    ledger::write_ledger(folder_ / (name + ".csv"), rows);
    return folder_ / (name + ".csv");
  }
};

TEST_F(LedgerCommand, ExportsAndMergesWithoutNamesAndWithoutCountingTwice) {
  const auto shared = folder_ / "shared.csv";
  const auto exported =
      analyze({"ledger", "export", made("anna", 0, 5), "--site", "north", "-o", shared});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(exported.err,
              HasSubstr("shared.csv: 5 forecasts with outcome (left out: 1 without a known outcome "
                        "or forecast, 0 that occurred twice)"));
  EXPECT_THAT(bytes_of(shared), Not(HasSubstr("anna")));
  const auto merged =
      analyze({"ledger", "merge", shared, made("anna", 3, 4), "-o", folder_ / "site.csv"});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr("7 forecasts with outcome (left out: 1 without a known outcome "
                                    "or forecast, 2 that occurred twice)"));
  EXPECT_EQ(ledger::read_ledger(folder_ / "site.csv").size(), 7u);
}

TEST_F(LedgerCommand, NamesWhatIsWrong) {
  const auto error = [](const std::vector<std::string>& words) {
    const auto answer = analyze(words);
    EXPECT_EQ(answer.status, 2) << answer.err;
    return answer.err;
  };
  EXPECT_THAT(error({"ledger", "exprot", "x.csv", "-o", "y.csv"}),
              HasSubstr("unknown action 'exprot'; did you mean 'export'?"));
  EXPECT_THAT(error({"ledger", "merge", folder_ / "none.csv", "-o", "y.csv"}),
              HasSubstr("none.csv: no such ledger"));
  EXPECT_THAT(error({"ledger", "export", folder_ / "none.csv"}), HasSubstr("--output is missing"));
  EXPECT_THAT(error({"ledger", "merge", made("anna", 0, 1), "-o", "y.csv", "--site", "x"}),
              HasSubstr("--site: goes with export"));
  EXPECT_THAT(error({"ledger", "merge", "-o", "y.csv"}), HasSubstr("FILE... is missing"));
}

}  // namespace
}  // namespace epochcast::analysis
