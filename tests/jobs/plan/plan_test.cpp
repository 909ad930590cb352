// Pilots, forecasts and full runs without a scheduler, with a fake trainer; with Slurm, the calls
// of sbatch. tests/slurm/plan_test.cpp uses a real Slurm.
#include "jobs/plan/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "jobs/campaign/status.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/plan/known_runs.hpp"
#include "jobs/plan/planned.hpp"
#include "src/base/core/files.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/writer.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using test::WithVariable;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class PlanTest : public testing::Test {
 protected:
  PlanTest() { folder_.write("train", test::fake_trainer, true); }

  PlanReport make(const std::string& experiment, const std::string& allocation,
                  const std::string& scheduler = "local") {
    const auto cluster = folder_.write(
        "c.yaml", "scheduler: " + scheduler +
                      "\ndefaults: {trainer: ./train, memory: 1G}\nallocations:\n  a: {cpus: 1, " +
                      allocation + "}\n");
    PlanRequest request;
    request.generate = {folder_.write("x.yaml", "name: x\n" + experiment), cluster, out_, {}, {}};
    request.dry_run = scheduler == "slurm";
    return plan(request, tell_);
  }
  RunReport run() { return run_planned({.out = out_, .filters = {}}, tell_); }
  std::vector<ledger::LedgerRow> ledger() const {
    return ledger::read_ledger(ledger::ledger_of(out_));
  }

  TempFolder folder_;
  std::string out_ = folder_ / "out";
  WithVariable own_{"EPOCHCAST_LEDGER", folder_ / "own/ledger.csv"};
  WithVariable step_{"FAKE_STEP_S", "2"};
  std::string said_;
  Tell tell_ = [this](const std::string& line) { said_ += line + "\n"; };
};

/// 1 s before the first of 10 * 40 steps of 2 s: 801 s, and 60 s above the signal's lead.
TEST_F(PlanTest, PilotThenFullRunThenLedger) {
  make("epochs: 40", "time: 12h, signal_lead: 30s");
  const auto report = run();
  EXPECT_EQ(report.complete, 1U);
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(1));
  const auto& row = rows[0];
  EXPECT_NEAR(row.forecast_s, 801, 8);
  EXPECT_EQ(row.naive_s, 1 + 40 * 20) << "start-up counted once";
  EXPECT_LE(row.low_95_s, 801);
  EXPECT_GE(row.high_95_s, 801);
  EXPECT_EQ(row.needed_s, row.high_95_s + 90);
  EXPECT_EQ(row.asked_s, 60 * std::ceil(row.needed_s / 60));
  EXPECT_EQ(row.outcome, ledger::Outcome::complete);
  EXPECT_EQ(row.actual_s, 801);
  EXPECT_FALSE(row.censored);
  EXPECT_THAT(ledger::read_ledger(folder_ / "own/ledger.csv"), SizeIs(1));
  EXPECT_THAT(said_, HasSubstr(": forecast 13m, at most "));
  EXPECT_THAT(said_, HasSubstr("took 13m: forecast "));
}

TEST_F(PlanTest, NamesADisturbedPilot) {
  const WithVariable disturbed("FAKE_DISTURBED", folder_.write("neighbour", ""));
  make("epochs: 40", "time: 12h, signal_lead: 30s");
  EXPECT_EQ(run().complete, 1U);
  EXPECT_THAT(said_, testing::ContainsRegex(
                         "pilot .* was disturbed: another process used 60 % of the 2 CPUs"));
  EXPECT_THAT(said_, testing::Not(HasSubstr("repeat-disturbed")));
  EXPECT_THAT(ledger().at(0).remark, HasSubstr("its pilot was disturbed: another process used"));
}

TEST_F(PlanTest, ForecastsFromAnUndisturbedAttemptOfThePilot) {
  make("epochs: 40", "time: 12h, signal_lead: 30s");
  const RunRequest pilots{.out = out_ + "/pilots", .filters = {}, .repeat_disturbed = 1};
  const WithVariable disturbed("FAKE_DISTURBED", folder_.write("neighbour", ""));
  std::ignore = run_here(pilots, tell_);  // the second attempt is undisturbed
  run();
  EXPECT_THAT(ledger().at(0).remark, testing::IsEmpty());
}

TEST_F(PlanTest, RepeatsADisturbedPilotBeforeItForecasts) {
  make("epochs: 40", "time: 12h, signal_lead: 30s");
  const WithVariable disturbed("FAKE_DISTURBED", folder_.write("neighbour", ""));
  std::ignore = run_planned({.out = out_, .filters = {}, .repeat_disturbed = 3}, tell_);
  EXPECT_THAT(said_, testing::ContainsRegex("was disturbed .*: repeats it, 1 of 3"));
  EXPECT_THAT(said_, testing::Not(HasSubstr("forecasts from disturbed pilots")));
  EXPECT_THAT(ledger().at(0).remark, testing::IsEmpty());
}

TEST_F(PlanTest, RefusesRepeatsThatItCannotMake) {
  const auto message = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-jobs",
                                   "plan",
                                   folder_ / "x.yaml",
                                   "--cluster",
                                   folder_ / "c.yaml",
                                   "-o",
                                   folder_ / "other",
                                   "--repeat-disturbed"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = process::run_command(words, 60);
    EXPECT_EQ(result.status, 2) << result.out << result.err;
    return result.err;
  };
  make("epochs: 2", "time: 12h");
  EXPECT_THAT(message({"3"}), HasSubstr("--repeat-disturbed: goes with --wait"));
  EXPECT_THAT(message({"3", "--wait", "--dry-run"}), HasSubstr("a dry run runs nothing"));
  EXPECT_THAT(message({"-1", "--wait"}), HasSubstr("--repeat-disturbed"));
}

TEST_F(PlanTest, OffersToRepeatADisturbedRunOrRepeatsItAtOnce) {
  const auto mark = folder_.write("neighbour", "");
  const WithVariable disturbed("FAKE_DISTURBED", mark);
  make("epochs: 40", "time: 12h, signal_lead: 30s");
  std::filesystem::remove(mark);
  run();  // the pilot and a full run that nobody disturbs
  EXPECT_THAT(said_, testing::Not(HasSubstr("disturbed")));

  folder_.write("neighbour", "");
  make("sweep: {epochs: [40, 41]}", "time: 12h, signal_lead: 30s");
  said_.clear();
  run();
  EXPECT_THAT(said_, HasSubstr("1 point disturbed; 'epochcast-jobs run " + out_ +
                               " --repeat-disturbed 3' repeats it"));
  said_.clear();
  const RunRequest repeat{.out = out_, .filters = {}, .repeat_disturbed = 3};
  EXPECT_EQ(run_planned(repeat, tell_).complete, 2U);
  EXPECT_THAT(said_, HasSubstr("repeats it, 1 of 3"));
  EXPECT_THAT(said_, testing::Not(HasSubstr("point disturbed")));
  said_.clear();
  EXPECT_EQ(run_planned(repeat, tell_).complete, 2U);
  EXPECT_THAT(said_, testing::Not(HasSubstr("disturbed")));
}

TEST_F(PlanTest, PointsThatDifferInLengthSeedAndRepeatShareAPilot) {
  const auto report = make("sweep: {epochs: [3, 9], batch: [8, 16]}\nrepeats: 2", "time: 12h");
  EXPECT_EQ(report.points, 8U);
  EXPECT_EQ(report.pilots, 2U);
  EXPECT_EQ(run().complete, 8U);
  EXPECT_THAT(ledger(), SizeIs(8));
}

TEST_F(PlanTest, ASharedPilotIsAsLongAsTheLongestRunNeeds) {
  make("sweep: {epochs: [60, 10]}", "time: 12h", "slurm");
  const auto plan = read_plan(OutFolder(out_));
  ASSERT_THAT(plan, SizeIs(2));
  EXPECT_EQ(plan.begin()->second, plan.rbegin()->second);
  EXPECT_THAT(plan.begin()->second, HasSubstr(".e6."));
}

TEST_F(PlanTest, ARunThatEndsAtItsLimitIsCensoredNotMissing) {
  make("epochs: 40", "time: 10m");
  const WithVariable stop("FAKE_STOP", "40");
  const auto report = run();
  EXPECT_EQ(report.stopped, 1U);
  const auto row = ledger().at(0);
  EXPECT_THAT(row.remark, AllOf(HasSubstr("needs "), HasSubstr("over the 10m of allocation 'a'")));
  EXPECT_EQ(row.asked_s, 600) << "what the allocation gives";
  EXPECT_EQ(row.outcome, ledger::Outcome::stopped);
  EXPECT_TRUE(row.censored);
  EXPECT_GT(row.actual_s, 0);
}

/// A full disk kept the last line from the record of an attempt, and another attempt is complete.
TEST_F(PlanTest, AnAttemptWhoseEndIsNotInItsRecordIsLostForItsForecast) {
  make("epochs: 40", "time: 12h");
  run();
  auto row = ledger().at(0);
  row.outcome = ledger::Outcome::open;
  const OutFolder out(out_);
  std::filesystem::remove(ledger::ledger_of(out_));
  put_in_ledgers(out, {row}, tell_);
  for (const auto& file : std::filesystem::directory_iterator(out.records())) {
    if (file.path().extension() == ".jsonl") {
      auto text = read_file(file.path());
      text.erase(text.rfind("{\"table\":\"header\""));
      std::ofstream(file.path()) << text;
    }
  }
  close_ledger_rows(out, {{.point = row.point, .state = PointState::complete}}, tell_);
  EXPECT_EQ(ledger().at(0).outcome, ledger::Outcome::lost);
}

TEST_F(PlanTest, OverTheLimitProposesCheckpointedPieces) {
  make("epochs: 4000", "time: 2h");
  run();
  EXPECT_THAT(ledger().at(0).remark,
              AllOf(HasSubstr("over the 2h of allocation 'a': run it in 13 pieces of about 308 "
                              "epochs with 'time: 2h'"),
                    HasSubstr("resubmit " + out_ + " --timeout")));
}

TEST_F(PlanTest, PiecesUseTheForecastAdjustedByTheLedger) {
  std::vector<ledger::LedgerRow> past(20);
  for (std::size_t i = 0; i < past.size(); ++i) {
    past[i].made_at = past[i].point = fmt::format("p{}", i);
    past[i].forecast_s = 1000;
    past[i].low_80_s = past[i].low_95_s = 999;
    past[i].high_80_s = past[i].high_95_s = 1001;
    past[i].actual_s = 3000;  // 2000 times the half-width
    past[i].outcome = ledger::Outcome::complete;
  }
  ledger::put_in_ledger(folder_ / "own/ledger.csv", past);
  make("epochs: 4000", "time: 2h");
  run();
  const auto row = ledger().at(0);
  EXPECT_GT(row.needed_s, 1.2 * row.high_95_s) << "the ledger has stretched it";
  EXPECT_THAT(row.remark,
              HasSubstr(fmt::format("run it in {:.0f} pieces", std::ceil(row.needed_s / 7200))));
}

TEST_F(PlanTest, WithoutAPilotThereIsNoFullRunUntilTheNextCall) {
  make("epochs: 40", "time: 12h");
  {
    const WithVariable fail("FAKE_FAIL", "1");
    EXPECT_EQ(run().failed, 1U);
    EXPECT_THAT(said_, HasSubstr("is skipped: its pilot "));
    EXPECT_THAT(said_, HasSubstr(" is failed: told to"));
    EXPECT_EQ(status(out_).points.at(0).state, PointState::fresh);
  }
  EXPECT_EQ(run().complete, 1U);
  EXPECT_THAT(ledger(), SizeIs(1));
}

TEST_F(PlanTest, ALengthThatDoesNotDependOnEpochsIsNotForecast) {
  make("epochs: 40\nmax_time: 5m", "time: 12h");
  run();
  const auto row = ledger().at(0);
  EXPECT_TRUE(std::isnan(row.forecast_s));
  EXPECT_EQ(row.remark, "its length is set by max_time=5m, not by its epochs");
  EXPECT_EQ(row.asked_s, 12 * 3600);
}

TEST_F(PlanTest, APilotThatMeasuredNothingRefusesTheForecast) {
  make("epochs: 40", "time: 12h");
  const WithVariable none("FAKE_STEP_S", "");
  EXPECT_EQ(run().complete, 1U);
  const auto row = ledger().at(0);
  EXPECT_TRUE(std::isnan(row.forecast_s));
  EXPECT_NE(row.remark, "");
  EXPECT_EQ(row.asked_s, 12 * 3600);
}

TEST_F(PlanTest, ADryRunWithoutASchedulerWritesNothing) {
  PlanRequest request;
  make("epochs: 40", "time: 12h");
  request.generate = {folder_ / "x.yaml", folder_ / "c.yaml", folder_ / "dry", {}, {}};
  request.dry_run = true;
  EXPECT_EQ(plan(request, tell_).pilots, 1U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "dry"));
}

/// Stands for epochcast-run: obeys --pilot-epochs, and records as the fake trainer does; a pilot
/// that is stopped at its end says so.
const std::string fake_runner = R"sh(#!/bin/bash
for word in "$@"; do
  case $word in
    --parameter=epochs=*) epochs=${word##*=} ;;
    --pilot-epochs=*) most=${word#*=} ;;
    --quick) most=1 ;;
    --records=*) records=${word#*=} ;;
  esac
done
"${0%/*}/train" "$@" --epochs="${most:-${epochs:-${FAKE_EPOCHS:-1}}}"
rc=$?
case $* in *--pilot-epochs=*)
  sed -i 's/"outcome":"complete","outcome_text":""/"outcome":"stopped","outcome_text":"pilot of 4 epochs done"/; s/"pilot_done":0/"pilot_done":1/' "$records"/*.jsonl ;;
esac
exit $rc
)sh";

TEST_F(PlanTest, AProgramIsForecastFromThePilotThatIsStopped) {
  folder_.write("epochcast-run", fake_runner, true);
  const auto report = make(
      "command: [python3, t.py, '{epochs}', '{lr}']\nlr: 1\n"
      "sweep: {epochs: [10, 40]}\nrepeats: 2",
      "time: 12h, signal_lead: 30s");
  EXPECT_EQ(report.points, 4U);
  EXPECT_EQ(report.pilots, 1U);
  EXPECT_EQ(run().complete, 4U) << said_;
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(4));
  for (const auto& row : rows) {
    EXPECT_EQ(row.actual_s, 1 + 20 * static_cast<double>(row.epochs));
    EXPECT_NEAR(row.forecast_s, row.actual_s, 8);
    EXPECT_EQ(row.outcome, ledger::Outcome::complete);
  }
  EXPECT_THAT(said_, HasSubstr("4 epochs and 40 steps recorded"));
  const auto pilot = read_plan(OutFolder(out_)).begin()->second;
  const auto script = read_file(out_ + "/pilots/scripts/" + pilot + ".sbatch");
  EXPECT_THAT(script, AllOf(HasSubstr("--pilot-epochs=4"), HasSubstr("--pilot-time=13m30s"),
                            HasSubstr("--parameter=epochs=40")))
      << "the longest of its points";
}

TEST_F(PlanTest, ADisturbedPilotOfAProgramIsNamedAndRepeated) {
  folder_.write("epochcast-run", fake_runner, true);
  const std::string experiment = "command: [t, '{epochs}']\nepochs: 40";
  const auto mark = folder_.write("neighbour", "");
  const WithVariable disturbed("FAKE_DISTURBED", mark);
  make(experiment, "time: 12h, signal_lead: 30s");
  EXPECT_EQ(run().complete, 1U);
  EXPECT_THAT(said_, testing::ContainsRegex("pilot .* was disturbed: another process used 60 %"));
  EXPECT_THAT(ledger().at(0).remark, HasSubstr("its pilot was disturbed: another process used"));

  folder_.write("neighbour", "");
  out_ = folder_ / "next";
  said_.clear();
  make(experiment, "time: 12h, signal_lead: 30s");
  const RunRequest repeat{.out = out_, .filters = {}, .repeat_disturbed = 3};
  EXPECT_EQ(run_planned(repeat, tell_).complete, 1U);
  EXPECT_THAT(said_, AllOf(HasSubstr("repeats it, 1 of 3"), testing::Not(HasSubstr("2 of 3"))));
  EXPECT_THAT(ledger().at(0).remark, IsEmpty());
  const auto pilot = status(out_ + "/pilots").points.at(0);
  EXPECT_EQ(pilot.state, PointState::complete) << "it did what it is for";
  EXPECT_EQ(pilot.reason, "pilot of 4 epochs done");
}

/// Writes the records of the complete runs of an output folder, of which the fake trainer writes
/// the JSON lines alone.
void write_whole_records(const std::string& out) {
  for (const auto& row : ledger::read_ledger(ledger::ledger_of(out))) {
    const auto path = out + "/records/" + row.point + "-" + row.job + ".h5";
    const auto lines = record::json_lines_path(path);
    const auto record = record::read_json_lines(lines).record;
    std::filesystem::remove(lines);
    record::write_record(path, record);
  }
}

class PlanByRelatives : public PlanTest {
 protected:
  PlanByRelatives() { folder_.write("epochcast-run", fake_runner, true); }

  /// Plans and runs `epochs` epochs on two allocations, of which the first takes three times as
  /// long as another. Returns the rows of the ledger.
  std::vector<ledger::LedgerRow> forecasts(int epochs, const RelativesAsked& relatives = {}) {
    const auto cluster = folder_.write(
        "c.yaml",
        "scheduler: local\ndefaults: {trainer: ./train, memory: 1G, time: 12h}\nallocations:\n"
        "  a: {cpus: 1}\n  b: {cpus: 1}\n");
    const auto experiment = folder_.write(
        "x.yaml", fmt::format("name: x\ncommand: [t]\nepochs: {}\npilot: {{epochs: 1}}\n", epochs));
    PlanRequest request;
    request.generate = {experiment, cluster, out_, {}, {}, {}, relatives};
    std::ignore = plan(request, tell_);
    EXPECT_EQ(run().complete, 2U) << said_;
    return ledger();
  }

  WithVariable first_{"FAKE_FIRST", "3"};
};

TEST_F(PlanByRelatives, TheLedgersRunsShowTheShapeOfTheNext) {
  for (const auto& row : forecasts(40)) {
    EXPECT_NEAR(row.forecast_s, 1 + 40 * 60, 1) << "the pilot alone saw the first epoch";
  }
  write_whole_records(out_);
  out_ = folder_ / "next";
  for (const auto& row : forecasts(30)) {
    EXPECT_EQ(row.classification, "relatives");
    EXPECT_NEAR(row.forecast_s, 1 + 60 + 29 * 20, 1);
    EXPECT_EQ(row.actual_s, 1 + 60 + 29 * 20);
    EXPECT_THAT(row.remark, HasSubstr("relatives on 2 systems"));
  }
}

TEST_F(PlanByRelatives, AreToldByTheirFolderWhereTheLedgerDoesNotKnowThem) {
  forecasts(40);
  write_whole_records(out_);
  const auto before = out_ + "/records";
  const WithVariable other("EPOCHCAST_LEDGER", folder_ / "other/ledger.csv");
  out_ = folder_ / "alone";
  EXPECT_NEAR(forecasts(30).at(0).forecast_s, 1 + 30 * 60, 1);
  const WithVariable third("EPOCHCAST_LEDGER", folder_ / "third/ledger.csv");
  out_ = folder_ / "next";
  EXPECT_EQ(forecasts(30, checked({{before}, {}})).at(0).classification, "relatives");
}

TEST_F(PlanByRelatives, ThatAreGoneAreReportedAndTheForecastIsMadeWithoutThem) {
  const auto rows = forecasts(30, {{folder_ / "gone"}, {}});
  EXPECT_THAT(rows.at(0).remark, HasSubstr("runs elsewhere were not used: "));
  EXPECT_NEAR(rows.at(0).forecast_s, 1 + 30 * 60, 1);
}

TEST_F(PlanByRelatives, AreCheckedBeforeAnythingIsSubmitted) {
  EXPECT_THAT(error_of([&] { checked({{folder_ / "gone"}, {}}); }), HasSubstr("gone"));
  EXPECT_EQ(error_of([] { checked({{}, {"batch"}}); }), "--may-differ: goes with --relatives");
  forecasts(30);
  write_whole_records(out_);
  EXPECT_THAT(error_of([&] {
                checked({{out_ + "/records"}, {"bath"}});
              }),
              HasSubstr("no record of --relatives has a parameter 'bath'"));
}

TEST_F(PlanTest, ThePilotOfAProgramIsAsItsExperimentSays) {
  make("command: [t]\nepochs: 9\npilot: {time: 20m, arguments: [--max-steps, '200']}",
       "time: 12h, signal_lead: 30s", "slurm");
  const auto pilot = read_plan(OutFolder(out_)).begin()->second;
  const auto script = read_file(out_ + "/pilots/scripts/" + pilot + ".sbatch");
  EXPECT_THAT(script, AllOf(HasSubstr("--pilot-time=20m"), HasSubstr("--max-steps 200"),
                            HasSubstr("#SBATCH --time=0-00:22:00")));
  EXPECT_THAT(script, testing::Not(HasSubstr("--pilot-epochs")));
}

TEST_F(PlanTest, PointsOfAProgramShareAPilotInTheSettingsThatItSays) {
  const std::string experiment =
      "command: [t, '{lr}', '{width}']\nepochs: 9\n"
      "sweep: {lr: [1, 2, 3], width: [8, 16]}\n";
  EXPECT_EQ(make(experiment, "time: 12h", "slurm").pilots, 6U);
  EXPECT_THAT(said_,
              HasSubstr("6 pilots: one for each value of lr, width; those that do not change "
                        "how long an epoch takes can share one, as with 'pilot: {share: "
                        "[lr]}'"));
  said_.clear();
  EXPECT_EQ(make(experiment + "pilot: {share: [lr]}", "time: 12h", "slurm").pilots, 2U);
  EXPECT_EQ(said_, "");
}

/// The fake program takes 1 s and 20 s an epoch: 201 s.
TEST_F(PlanTest, TheLimitLeavesTimeForTheCheckpointSignal) {
  folder_.write("epochcast-run", fake_runner, true);
  const std::string experiment = "command: [t, '{epochs}']\nepochs: 10\ncheckpoint_signal: USR1\n";
  make(experiment + "checkpoint_lead: 30m", "time: 12h, signal_lead: 10s");
  run();
  EXPECT_EQ(ledger().at(0).lead_s, 1800);
  EXPECT_GE(ledger().at(0).asked_s, 201 + 1800 + 60);
  EXPECT_LT(ledger().at(0).asked_s, 201 + 1800 + 60 + 120);
}

TEST_F(PlanTest, ACheckpointLeadAsLongAsTheJobIsRefused) {
  const auto problem = error_of([&] {
    make("command: [t]\nepochs: 1\ncheckpoint_signal: USR1\ncheckpoint_lead: 2m",
         "time: 2m, signal_lead: 10s", "slurm");
  });
  EXPECT_THAT(problem, HasSubstr("checkpoint_lead: 2m before the limit is the start of a job on "
                                 "'a', whose time is 2m; lower 'checkpoint_lead'"));
}

TEST_F(PlanTest, AProgramOfUnknownLengthIsNotForecast) {
  folder_.write("epochcast-run", fake_runner, true);
  make("command: [t]", "time: 12h");
  run();
  EXPECT_TRUE(std::isnan(ledger().at(0).forecast_s));
  EXPECT_THAT(ledger().at(0).remark, HasSubstr("the number of epochs is not known"));
}

TEST_F(PlanTest, APilotWithoutProgressIsNotForecastFrom) {
  folder_.write("epochcast-run", fake_runner, true);
  const WithVariable none("FAKE_STEP_S", "");
  make("command: [t]\nsteps: 500", "time: 12h");
  run();
  EXPECT_THAT(ledger().at(0).remark, HasSubstr("the pilot showed no epoch and no step"));
  EXPECT_THAT(said_, HasSubstr("no epoch and no step was recorded"));
}

TEST_F(PlanTest, StepsAreALengthToo) {
  folder_.write("epochcast-run", fake_runner, true);
  const WithVariable epochs("FAKE_EPOCHS", "50");
  make("command: [t]\nsteps: 500\npilot: {epochs: 3}", "time: 12h");
  run();
  EXPECT_NEAR(ledger().at(0).forecast_s, 1001, 20);
  EXPECT_EQ(ledger().at(0).actual_s, 1001);
}

TEST_F(PlanTest, AnEpochThatWordsMayHaveCutIsNotForecastFrom) {
  folder_.write("epochcast-run", fake_runner, true);
  make("command: [t]\nepochs: 40\npilot: {arguments: [--quick]}", "time: 12h");
  run();
  EXPECT_THAT(ledger().at(0).remark, HasSubstr("may have cut its only epoch"));
}

TEST_F(PlanTest, FullJobsDependOnTheirPilot) {
  const auto report = make("epochs: 40", "time: 12h", "slurm");
  ASSERT_THAT(report.commands, SizeIs(2));
  EXPECT_THAT(report.commands[0], HasSubstr("/pilots/scripts/"));
  EXPECT_THAT(report.commands[1],
              AllOf(HasSubstr("--dependency=afterok:JOB-OF-"),
                    HasSubstr("--kill-on-invalid-dep=yes"), EndsWith(".sbatch")));
  const auto pilot = read_plan(OutFolder(out_)).begin()->second;
  const auto script = read_file(out_ + "/pilots/scripts/" + pilot + ".sbatch");
  EXPECT_THAT(script, HasSubstr("#SBATCH --time=0-00:15:00"));
  EXPECT_THAT(script, HasSubstr("--max-iterations=300"));
  EXPECT_THAT(script, HasSubstr("--epochs=4"));
  EXPECT_THAT(script, HasSubstr(" update-limits " + out_ + " \"$point\""));
}

TEST_F(PlanTest, ADamagedPlanIsNamed) {
  EXPECT_THAT(read_plan(OutFolder(out_)), IsEmpty());
  folder_.write("out/plan.csv", "point,pilot\na,b,c\n");
  EXPECT_THAT(error_of([&] { std::ignore = read_plan(OutFolder(out_)); }),
              HasSubstr("plan.csv:2: is not a line of a plan: point,pilot"));
}

}  // namespace
}  // namespace epochcast::jobs
