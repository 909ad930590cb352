// From pilots to time limits on a real Slurm: what `plan` submits, what the step behind a pilot
// changes, and what the ledger says in the end.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "src/forecast/ledger/ledger.hpp"
#include "tests/fake_trainer.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double minute_s = 60;

/// Most tests run a trainer that only claims the times of its steps, so that no forecast depends on
/// who else uses the machine.
class SlurmPlan : public SlurmLab {
 protected:
  /// Ten steps an epoch: the pilot has two of them.
  void plan_experiment(int epochs, const std::string& more = "") {
    write("experiment.yaml",
          fmt::format("name: lab\nmodel: dcgan\ndataset: {{name: synthetic, samples: 40}}\n"
                      "batch: 4\ndevice: cpu\nepochs: {}\n{}\n",
                      epochs, more));
  }

  /// `more`: further defaults.
  void site(const std::string& partition, const std::string& time, const std::string& more) {
    write("site.yaml", fmt::format("scheduler: slurm\n"
                                   "defaults: {{account: csc101, memory: 4G, signal_lead: 10s{}}}\n"
                                   "allocations:\n"
                                   "  cpu2: {{partition: {}, cpus: 2, time: {}}}\n",
                                   more, partition, time));
  }

  void site_that_claims(const std::string& partition, const std::string& time,
                        const std::string& more = "") {
    program("train", test::fake_trainer);
    site(partition, time, ", trainer: " + home("bin/train").string() + more);
  }

  /// With steps that claim half a second.
  void plan() {
    must(
        "FAKE_STEP_S=0.5 PATH=$HOME/bin:$PATH "
        "epochcast-jobs plan experiment.yaml --cluster ./site.yaml -o out");
  }

  /// As one call that stays; in the background, as commands here have a time limit of their own.
  /// Returns what it said; plan.rc has its exit status.
  std::string plan_and_wait(const std::string& environment, const std::string& options = "") {
    must("true; (" + environment +
         " epochcast-jobs plan experiment.yaml --cluster ./site.yaml -o out --wait " + options +
         " >plan.log 2>&1; echo $? >plan.rc) </dev/null >/dev/null 2>&1 &");
    for (int i = 0; i < 600 && must("cat plan.rc 2>/dev/null || true") == ""; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
    }
    return must("cat plan.log");
  }

  /// Until pilots and full jobs have ended; status of the full ones closes the ledger's rows.
  void wait_for_plan() {
    wait_until_settled("out/pilots");
    wait_until_settled("out");
  }

  std::vector<ledger::LedgerRow> ledger(const std::string& path = "out/ledger.csv") {
    return ledger::read_ledger(home(path));
  }

  /// The limit that the controller has of a job, ended ones included. Accounting may not have the
  /// limit of a job of a second.
  double limit_of(const std::string& job) {
    const auto seconds = must("squeue -h --states=all -o %l -j " + job +
                              " | awk -F: '{for (i = 1; i <= NF; ++i) s = 60 * s + $i; print s}'");
    return std::atof(seconds.c_str());
  }

  void expect_limit_of_its_own(const ledger::LedgerRow& row) {
    EXPECT_FALSE(std::isnan(row.forecast_s)) << row.remark;
    EXPECT_EQ(row.asked_s, minute_s * std::ceil(row.needed_s / minute_s));
    EXPECT_EQ(limit_of(row.job), row.asked_s);
    EXPECT_LT(row.asked_s, 60 * minute_s) << "the allocation's";
  }

  /// Of 4 GiB of the allocation.
  void expect_memory_of_its_own(const ledger::LedgerRow& row) {
    EXPECT_LT(row.memory_asked_bytes, 2.0 * 1073741824) << row.remark;
    EXPECT_GT(row.memory_used_bytes, 0);
    EXPECT_LT(row.memory_used_bytes, row.memory_asked_bytes);
    EXPECT_EQ(must("squeue -h --states=all -o %m -j " + row.job),
              fmt::format("{:.0f}M\n", row.memory_asked_bytes / 1048576));
  }

  /// Where others slow the pilot's last steps down, its forecast is refused.
  void expect_limit_or_reason(const ledger::LedgerRow& row) {
    if (!std::isnan(row.forecast_s)) {
      expect_limit_of_its_own(row);
      return;
    }
    EXPECT_NE(row.remark, "");
    EXPECT_EQ(row.asked_s, 60 * minute_s) << "the allocation's";
    EXPECT_EQ(limit_of(row.job), row.asked_s);
  }
};

TEST_F(SlurmPlan, FullJobsOfTheTrainerRunWithTheLimitThatTheirPilotForecast) {
  plan_experiment(4, "repeats: 2");
  site("teaching", "1h", "");
  const auto said = plan_and_wait("");
  EXPECT_EQ(must("cat plan.rc"), "0\n") << said;
  EXPECT_THAT(said, AllOf(HasSubstr("forecast"), HasSubstr(": took ")));
  expect_every_point_complete_once("out");
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(2));
  for (const auto& row : rows) {
    expect_limit_or_reason(row);
    EXPECT_EQ(row.outcome, ledger::Outcome::complete);
    EXPECT_GT(row.used_s, 0);
    expect_memory_of_its_own(row);
  }
  EXPECT_THAT(ledger(".local/share/epochcast/ledger.csv"), SizeIs(2)) << "the user's own";
  for (const auto& [point, state] : status("out")) {
    EXPECT_EQ(state.tainted, "") << "a lower limit is no other measurement";
  }
  EXPECT_THAT(must("epochcast-analyze table ledger out"), HasSubstr("asked/used"));
}

TEST_F(SlurmPlan, PilotsAndFullRunsThatAreDisturbedEachTimeAreRepeatedAsOftenAsAsked) {
  plan_experiment(4);
  site_that_claims("teaching", "1h");
  write("neighbour", "stays");
  const auto said =
      plan_and_wait("FAKE_STEP_S=0.5 FAKE_DISTURBED=$HOME/neighbour PATH=$HOME/bin:$PATH",
                    "--repeat-disturbed 2");
  EXPECT_THAT(said, AllOf(HasSubstr("repeats it, 1 of 2\n"), HasSubstr("repeats it, 2 of 2\n"),
                          HasSubstr("1 point disturbed in every repeat; ")));
  EXPECT_THAT(headers("out/pilots"), SizeIs(3));
  EXPECT_THAT(headers("out"), SizeIs(3));
}

TEST_F(SlurmPlan, WhereASiteRefusesToLowerALimitAnotherJobTakesThePlace) {
  plan_experiment(4);
  site_that_claims("teaching", "1h");
  fake(
      "scontrol",
      R"sh(case $1 in update) echo 'slurm_update error: Access/permission denied' >&2; exit 1 ;; esac
exec /usr/bin/scontrol "$@"
)sh");
  plan();
  wait_for_plan();
  expect_every_point_complete_once("out");
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(1));
  expect_limit_of_its_own(rows[0]);
  EXPECT_THAT(rows[0].remark,
              AllOf(HasSubstr(" replaces job "), HasSubstr("Access/permission denied")));
  EXPECT_EQ(rows[0].outcome, ledger::Outcome::complete);
  // A job runs on for a moment behind its record.
  EXPECT_EQ(must("while [ -n \"$(squeue -h)\" ]; do sleep 0.5; done; "
                 "squeue -h --states=all --sort=i -o %T"),
            "COMPLETED\nCANCELLED\nCOMPLETED\n")
      << "the pilot, its full job, and the one that took its place";
}

/// A full run, unlike its pilot, goes on long after the end that it was forecast.
TEST_F(SlurmPlan, AFullJobThatReachesItsLimitIsCensored) {
  plan_experiment(4);
  fake("longer",
       R"sh(case "$*" in *--epochs=4*) export FAKE_TENTHS=36000 ;; esac
words=("$@")
exec "${words[@]/--epochs=4/--epochs=400}"
)sh");
  site_that_claims("teaching", "1h", ", launch_prefix: [" + home("bin/longer").string() + "]");
  plan();
  wait_until_settled("out/pilots");
  wait_until_settled("out", 600);
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].outcome, ledger::Outcome::stopped);
  EXPECT_TRUE(rows[0].censored);
  EXPECT_GT(rows[0].actual_s, rows[0].high_95_s);
  EXPECT_THAT(must("epochcast-analyze table ledger out --format csv --part ledger_summary"),
              HasSubstr("hit_limit"));
}

TEST_F(SlurmPlan, OverThePartitionsLimitItProposesPieces) {
  plan_experiment(1000);
  site_that_claims("quick", "2m");
  plan();
  // The step comes behind the pilot's record, so that says nothing of it.
  for (int i = 0; i < 300 && ledger().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  must("scancel -u alice");
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_THAT(rows[0].remark, AllOf(HasSubstr("over the 2m of partition 'quick': run it in "),
                                    HasSubstr("resubmit")));
  EXPECT_EQ(rows[0].asked_s, 2 * minute_s);
}

TEST_F(SlurmPlan, APilotThatFailsTakesItsFullJobBackAndTheSameCallContinues) {
  plan_experiment(4);
  fake("broken", "exit 3\n");
  site_that_claims("teaching", "1h", ", launch_prefix: [" + home("bin/broken").string() + "]");
  plan();
  wait_for_plan();
  EXPECT_THAT(ledger(), IsEmpty());
  EXPECT_THAT(headers("out"), IsEmpty()) << "no full run without a forecast";
  fake("broken", "exec \"$@\"\n");
  plan();
  wait_for_plan();
  expect_every_point_complete_once("out");
  EXPECT_THAT(ledger(), SizeIs(1));
}

}  // namespace
}  // namespace epochcast
