// What 'plan --wait' does on a Slurm whose jobs run as soon as they are submitted.
#include "jobs/plan/planned.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PlanOnSlurm : public testing::Test {
 protected:
  PlanOnSlurm() {
    folder_.write("train", test::fake_trainer, true);
    folder_.write("bin/sbatch", R"sh(#!/bin/bash
n=$(($(wc -l <"$FAKE/calls") + 1))
printf '%s\n' "$*" >>"$FAKE/calls"
SLURM_JOB_ID=$n SLURM_CPUS_PER_TASK=1 bash "${!#}" >>"$FAKE/log" 2>&1
echo "$n"
)sh",
                  true);
    folder_.write("bin/srun", "#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nexec \"$@\"\n",
                  true);
    folder_.write("bin/squeue", "#!/bin/bash\n", true);
    for (const auto* none : {"bin/sacct", "bin/sacctmgr", "bin/scontrol"}) {
      folder_.write(none, "#!/bin/bash\nexit 1\n", true);
    }
    folder_.write("fake/calls", "");
    folder_.write("c.yaml",
                  "scheduler: slurm\ndefaults: {trainer: ./train, memory: 1G, time: 12h}\n"
                  "allocations:\n  a: {cpus: 1}\n");
    folder_.write("x.yaml", "name: x\nepochs: 40\n");
  }

  process::CommandResult plan() const {
    return process::run_command(
        {EPOCHCAST_BINARY_DIR "/epochcast-jobs", "plan", folder_ / "x.yaml", "--cluster",
         folder_ / "c.yaml", "-o", out_, "--wait", "--repeat-disturbed", "2"},
        120);
  }

  /// "pilot" or "full" for each job, in their order.
  std::vector<std::string> jobs() const {
    std::vector<std::string> kinds;
    for (const auto& call : calls()) {
      kinds.emplace_back(call.find("/pilots/scripts/") != std::string::npos ? "pilot" : "full");
    }
    return kinds;
  }
  std::vector<std::string> calls() const {
    auto lines = split(read_file(folder_ / "fake/calls"), '\n');
    std::erase(lines, "");
    return lines;
  }

  test::TempFolder folder_;
  test::WithVariable path_{"PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")};
  test::WithVariable fake_{"FAKE", folder_ / "fake"};
  test::WithVariable own_{"EPOCHCAST_LEDGER", folder_ / "own/ledger.csv"};
  test::WithVariable step_{"FAKE_STEP_S", "2"};
  std::string out_ = folder_ / "out";
};

TEST_F(PlanOnSlurm, RepeatsADisturbedPilotBeforeItSubmitsTheFullRun) {
  const test::WithVariable disturbed("FAKE_DISTURBED", folder_.write("neighbour", ""));
  const auto result = plan();
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(testing::ContainsRegex("pilot .*: was disturbed \\(another process "
                                                       "used 60 % .*\\): repeats it, 1 of 2"),
                                Not(HasSubstr("2 of 2"))));
  EXPECT_THAT(jobs(), ElementsAre("pilot", "pilot", "full"));
  EXPECT_THAT(calls().back(), AllOf(HasSubstr("--time="), Not(HasSubstr("--dependency"))));
  const auto rows = ledger::read_ledger(ledger::ledger_of(out_));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].remark, "");
  EXPECT_NEAR(rows[0].forecast_s, 801, 8);
}

TEST_F(PlanOnSlurm, RepeatsPilotsAndFullRunsOnlyAsOftenAsAsked) {
  const test::WithVariable disturbed("FAKE_DISTURBED", folder_.write("neighbour", "stays"));
  const auto result = plan();
  EXPECT_THAT(result.out, AllOf(HasSubstr("repeats it, 2 of 2"), HasSubstr("in every repeat")));
  EXPECT_THAT(jobs(), ElementsAre("pilot", "pilot", "pilot", "full", "full", "full"));
  EXPECT_THAT(ledger::read_ledger(ledger::ledger_of(out_)).at(0).remark,
              HasSubstr("its pilot was disturbed: another process used"));
}

TEST_F(PlanOnSlurm, SubmitsNoFullRunWhosePilotFailed) {
  const test::WithVariable fail("FAKE_FAIL", "1");
  const auto result = plan();
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err,
              testing::ContainsRegex("was not submitted: its pilot .* is failed: told"));
  EXPECT_THAT(jobs(), ElementsAre("pilot"));
}

}  // namespace
}  // namespace epochcast::jobs
