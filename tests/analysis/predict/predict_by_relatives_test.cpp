// Which records are taken as runs of the same program elsewhere. All of them are made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/forecast/ledger/ledger.hpp"
#include "src/forecast/run/reference_records.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using forecast::reference_records;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string why_left_out(const record::Record& record,
                         const record::ParameterNames& may_differ = {}) {
  const auto pilot = loaded(made_record({.allocation = "here", .epochs = 1}));
  return forecast::reference_records(pilot, {{"other.h5", record}}, may_differ).front().left_out;
}

TEST(RelatedRecords, MayDifferInPlaceLengthAndRepeat) {
  EXPECT_EQ(why_left_out(made_record({.allocation = "there", .epochs = 20})), "");
  EXPECT_EQ(why_left_out(
                made_record({.allocation = "there", .epochs = 20, .repeat = 3, .gpu = "Tesla T4"})),
            "");
}

TEST(RelatedRecords, DoTheSameWorkInOneWholeRun) {
  const auto made = [] { return made_record({.allocation = "there", .epochs = 20}); };
  EXPECT_EQ(why_left_out(made_record({.allocation = "there", .epochs = 20, .batch = 64})),
            "different parameters: batch=64, not 256 (--may-differ NAME allows it)");
  EXPECT_EQ(
      why_left_out(made_record({.allocation = "there", .epochs = 20, .batch = 64}), {"batch"}), "");
  auto other = made();
  other.work.front().samples_per_epoch = 2000;
  EXPECT_EQ(why_left_out(other), "2000 samples in an epoch, not 1000");
  other = made();
  other.header.outcome = "failed";
  EXPECT_THAT(why_left_out(other), HasSubstr("failed"));
  other = made();
  other.header.tainted = "profiled";
  EXPECT_EQ(why_left_out(other), "tainted: profiled");
  other = made();
  other.epochs.erase(other.epochs.begin() + 3);
  EXPECT_EQ(why_left_out(other), "its epoch 4 is missing");
  EXPECT_THAT(why_left_out(disturbed_record({.allocation = "there", .epochs = 20})),
              HasSubstr("disturbed: another process used 50 % of the 2 CPUs"));
  other = made();
  other.epochs.clear();
  EXPECT_EQ(why_left_out(other), "it has no epochs");
  EXPECT_EQ(why_left_out(made_record({.allocation = "here", .epochs = 1})), "it is the run itself");
}

TEST(RelatedRecords, NamesOfImportedRunsAreNoSettings) {
  auto other = made_record({.allocation = "there", .epochs = 20});
  for (const auto* name : {"run", "path", "submitter", "system", "origin_ms"}) {
    other.parameters.push_back(parameter_row(name, "x"));
  }
  EXPECT_EQ(why_left_out(other), "");
  other.parameters.push_back(parameter_row("benchmark", "resnet"));
  EXPECT_THAT(why_left_out(other), HasSubstr("benchmark=resnet, not nothing"));
}

TEST(RelatedRecords, GapsAndEndAreThoseOfTheStamps) {
  auto other = made_record({.allocation = "there", .epochs = 3});
  other.epochs[2].start_s += 4;
  other.epochs[2].evaluate_s = 2.5;
  const auto related = forecast::reference_records(loaded(made_record({.allocation = "here"})),
                                                   {{"o.h5", other}}, {});
  EXPECT_EQ(related.front().whole.epoch_s, (std::vector<double>{11, 10, 10}));
  EXPECT_EQ(related.front().whole.gaps_s, (std::vector<double>{0, 4}));
  EXPECT_DOUBLE_EQ(related.front().whole.end_s, 2.5);
  EXPECT_EQ(related.front().system, "there, cpu, 1 process");
}

/// On two allocations and, with another batch, on a third.
std::vector<record::Record> runs_elsewhere() {
  return {made_record({.allocation = "a", .epochs = 20, .epoch_s = 10.2}),
          made_record({.allocation = "b", .epochs = 40, .epoch_s = 9.9}),
          made_record({.allocation = "c", .epochs = 40, .batch = 64})};
}

TEST_F(Program, PredictsFromRunsOfTheSameProgramElsewhere) {
  write_records({made_record({.allocation = "here"})}, folder_ / "pilot");
  write_records(runs_elsewhere(), folder_ / "others");
  const auto answer = analyze({"predict", folder_ / "pilot", "--epochs", "30", "--relatives",
                               folder_ / "others", "--part", "with_relatives", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  // The first epoch took 11 s; elsewhere it was 11.2 and 10.9 s, and the others 10.2 and 9.9 s.
  const auto row = csv_rows(answer.out).at(0);
  EXPECT_EQ(row.at("epochs_seen"), "1");
  EXPECT_THAT(row.at("forecast_s"), StartsWith("301."));
  EXPECT_EQ(row.at("without_s"), "330.0");
  EXPECT_EQ(row.at("systems"), "2");
  const auto taken = analyze({"predict", folder_ / "pilot", "--epochs", "30", "--relatives",
                              folder_ / "others", "--part", "relatives", "--format", "csv"});
  EXPECT_THAT(taken.out,
              AllOf(HasSubstr("\"a, cpu, 1 process\",20,yes,"), HasSubstr("batch=64, not 256")));
}

TEST_F(Program, FindsRelativesInTheLedgerOfTheUser) {
  write_records({made_record({.allocation = "here"})}, folder_ / "pilot");
  auto runs = runs_elsewhere();  // of which the two of the same program do not agree well enough
  runs.push_back(made_record({.allocation = "d", .epochs = 40, .epoch_s = 10}));
  write_records(runs, folder_ / "out/records");
  std::vector<ledger::LedgerRow> rows;
  for (const auto& record : runs) {
    rows.push_back({.out = folder_ / "out",
                    .experiment = "made",
                    .point = record.header.point.str(),
                    .job = record.header.job_id.str(),
                    .outcome = ledger::Outcome::complete});
  }
  rows.push_back(rows.front());
  rows.back().point = "removed";
  ledger::write_ledger(folder_ / "ledger.csv", rows);
  const std::vector<std::string> words{"predict", folder_ / "pilot", "--epochs", "30",
                                       "--part",  "with_relatives",  "--format", "csv"};
  const auto with_ledger = [&](const std::string& file) {
    return analyze(words, {{"EPOCHCAST_LEDGER", file}});
  };
  const auto row = csv_rows(with_ledger(folder_ / "ledger.csv").out).at(0);
  EXPECT_EQ(row.at("epochs_seen"), "1");
  EXPECT_THAT(row.at("forecast_s"), StartsWith("301."));
  EXPECT_EQ(row.at("without_s"), "330.0");
  EXPECT_EQ(row.at("systems"), "3");
  EXPECT_EQ(row.at("agree"), "yes");
  rows.pop_back();  // the removed one
  rows.pop_back();
  ledger::write_ledger(folder_ / "fewer.csv", rows);
  EXPECT_THAT(with_ledger(folder_ / "fewer.csv").err, HasSubstr("with_relatives"));
  EXPECT_THAT(with_ledger("").err, HasSubstr("with_relatives"));
}

TEST_F(Program, PredictsWithoutRelativesAsBefore) {
  write_records({made_record({.allocation = "here"})}, folder_ / "pilot");
  const auto alone = analyze({"predict", folder_ / "pilot", "--epochs", "30"});
  EXPECT_EQ(alone.status, 0);
  EXPECT_THAT(alone.out, testing::Not(HasSubstr("elsewhere")));
  write_records({made_record({.allocation = "c", .epochs = 40, .batch = 64})}, folder_ / "c");
  const auto none =
      analyze({"predict", folder_ / "pilot", "--epochs", "30", "--relatives", folder_ / "c"});
  EXPECT_EQ(none.status, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("refused: none of the runs given is one of the same"));
}

TEST_F(Program, PredictRefusesOptionsThatRelativesDoNotHave) {
  write_records({made_record({.allocation = "here"})}, folder_ / "pilot");
  write_records(runs_elsewhere(), folder_ / "others");
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"predict", folder_ / "pilot", "--epochs", "30"};
    words.insert(words.end(), more.begin(), more.end());
    const auto answer = analyze(words);
    EXPECT_EQ(answer.status, 2);
    return answer.err;
  };
  EXPECT_THAT(refused({"--may-differ", "batch"}), HasSubstr("--may-differ: goes with --relatives"));
  EXPECT_THAT(refused({"--relatives", folder_ / "others", "--gpus", "4"}),
              HasSubstr("--relatives: cannot be combined with --gpus"));
  EXPECT_THAT(refused({"--relatives", folder_ / "others", "--may-differ", "bath"}),
              HasSubstr("batch"));
}

}  // namespace
}  // namespace epochcast::analysis
