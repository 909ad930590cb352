// Submission against a fake Slurm in PATH that keeps its jobs in a file and fails as it is told.
#include "jobs/submit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "jobs/generate.hpp"
#include "jobs/journal.hpp"
#include "jobs/resubmit.hpp"
#include "jobs/status.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;

/// FAKE/mode says how sbatch behaves; FAKE/queue holds a line for each job it took.
const char* fake_sbatch = R"sh(#!/bin/bash
mode=$(cat "$FAKE/mode" 2>/dev/null)
printf '%s\n' "$*" >>"$FAKE/calls"
env | grep -E '^(SLURM|SBATCH)_' >>"$FAKE/inherited"
case $mode in
  down) echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2; exit 1 ;;
  refuse) echo "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified" >&2; exit 1 ;;
esac
n=$(($(wc -l <"$FAKE/queue") + 1))
for word in "$@"; do case $word in --comment=*) token=${word#*=} ;; --array=*) array=$word ;; *.sbatch) script=$word ;; esac; done
name=$(basename "$script" .sbatch)
if [ -n "${array:-}" ]; then last=${array%%%*} last=${last#*-}; last=${last##*-}; for ((i = 0; i <= last; ++i)); do echo "$n|${n}_$i|PENDING|0:00|Priority|$name|$token" >>"$FAKE/queue"; done
else echo "$n|$n|PENDING|0:00|Priority|$name|$token" >>"$FAKE/queue"; fi
case $mode in
  lost) echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1 ;;
  die) kill -KILL "$PPID"; exit 1 ;;
  banner) echo "Welcome to the cluster"; echo "$n;main" ;;
  *) echo "$n" ;;
esac
)sh";
const char* fake_squeue = R"sh(#!/bin/bash
[ "$(cat "$FAKE/mode" 2>/dev/null)" != down ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }
cat "$FAKE/queue"
)sh";
const char* fake_sacct =
    "#!/bin/bash\n[ -e \"$FAKE/accounting\" ] || { echo 'Slurm accounting storage is disabled' "
    ">&2; exit 1; }\ncat \"$FAKE/accounting\"\n";
const char* fake_scontrol =
    "#!/bin/bash\nprintf 'MaxArraySize            = 3\\nMaxJobCount             = 10000\\n'\n";

class SubmitTest : public testing::Test {
 protected:
  SubmitTest()
      : path_("PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")),
        fake_("FAKE", folder_ / "fake"),
        out_(folder_ / "out") {
    folder_.write("bin/sbatch", fake_sbatch, true);
    folder_.write("bin/squeue", fake_squeue, true);
    folder_.write("bin/sacct", fake_sacct, true);
    folder_.write("bin/scontrol", fake_scontrol, true);
    folder_.write("bin/sacctmgr", "#!/bin/bash\nexit 1\n", true);
    folder_.write("fake/queue", "");
    const auto cluster = folder_.write("c.yaml",
                                       "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, "
                                       "time: 1h}\n  b: {cpus: 2, memory: 1G, time: 1h}\n");
    const auto experiment = folder_.write("x.yaml", "name: x\nsweep: {epochs: [1, 2]}\n");
    generate({experiment, cluster, out_, {}, {}});
    for (const auto& point : status(out_).points) {
      points_.push_back(point.point);
    }
  }
  void mode(const std::string& mode) const { folder_.write("fake/mode", mode); }
  std::string queue() const { return read_file(folder_ / "fake/queue"); }
  /// Jobs the fake controller took; never more than one a point if nothing went wrong.
  long taken() const {
    const auto text = queue();
    return std::count(text.begin(), text.end(), '\n');
  }
  SubmitReport submit_all() const { return submit({.out = out_, .filters = {}, .points = {}}); }

  TempFolder folder_;
  test::WithVariable path_, fake_;
  std::string out_;
  std::vector<std::string> points_;
};

TEST_F(SubmitTest, EveryPointGetsOneJobHoweverOftenItIsCalled) {
  EXPECT_EQ(submit_all().submitted, 4U);
  const auto again = submit_all();
  EXPECT_EQ(again.submitted, 0U);
  EXPECT_EQ(again.had, 4U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(SubmitTest, ADryRunCallsNothing) {
  EXPECT_EQ(submit({.out = out_, .filters = {}, .points = {}, .dry_run = true}).commands.size(),
            4U);
  EXPECT_FALSE(fs::exists(folder_ / "fake/calls"));
  EXPECT_FALSE(fs::exists(out_ + "/submissions.jsonl"));
}

TEST_F(SubmitTest, AFilterChoosesPoints) {
  EXPECT_EQ(submit({.out = out_, .filters = {"allocation=b", "epochs=2"}, .points = {}}).submitted,
            1U);
  EXPECT_EQ(error_of([&] { submit({.out = out_, .filters = {"epoch=2"}, .points = {}}); }),
            "--filter: unknown column 'epoch'; did you mean 'epochs'?");
}

TEST_F(SubmitTest, TheJobIdIsTheLastLineWithoutTheClusterName) {
  mode("banner");
  submit_all();
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[1]), "2");
}

TEST_F(SubmitTest, AControllerThatIsDownLosesNothing) {
  mode("down");
  EXPECT_THAT(error_of([&] { submit_all(); }),
              HasSubstr("Unable to contact slurm controller (connect failure) (0 points submitted "
                        "before it); nothing is lost"));
  EXPECT_THAT(error_of([&] { submit_all(); }), HasSubstr("the controller does not answer"))
      << "the open intent cannot be settled either";
  mode("");
  EXPECT_EQ(submit_all().submitted, 4U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(SubmitTest, ALostAnswerIsFoundAgainByItsToken) {
  mode("lost");
  EXPECT_THAT(error_of([&] { submit_all(); }), HasSubstr("Socket timed out"));
  EXPECT_EQ(taken(), 1);
  mode("");
  const auto report = submit_all();
  EXPECT_EQ(report.found, 1U);
  EXPECT_EQ(report.submitted, 3U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(SubmitTest, ALostAnswerIsFoundInAccountingWhereTheQueueHasForgottenIt) {
  mode("lost");
  error_of([&] { submit_all(); });
  folder_.write("fake/queue", "");
  folder_.write("fake/accounting",
                fmt::format("77|77|COMPLETED|5|0:0|{}|{}|\n", std::time(nullptr), points_[0]));
  mode("");
  EXPECT_EQ(submit_all().found, 1U);
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[0]), "77");
}

TEST_F(SubmitTest, AClaimProvesThatALostSubmissionArrived) {
  mode("lost");
  error_of([&] { submit_all(); });
  folder_.write("fake/queue", "");
  write_file(out_ + "/claims/" + points_[0], "88\n");
  mode("");
  EXPECT_EQ(submit_all().found, 1U);
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[0]), "88");
}

TEST_F(SubmitTest, ACrashBetweenSubmissionAndAnswerForgetsNoJob) {
  mode("die");  // sbatch takes the job and kills the one that called it
  const pid_t child = fork();
  if (child == 0) {
    submit_all();
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  ASSERT_TRUE(WIFSIGNALED(state));
  ASSERT_EQ(taken(), 1);
  mode("");
  EXPECT_EQ(submit_all().found, 1U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(SubmitTest, ARefusalIsReportedOnceForItsAllocationAndTriedAgainLater) {
  mode("refuse");
  const auto report = submit_all();
  ASSERT_EQ(report.problems.size(), 2U);
  EXPECT_THAT(report.problems[0], HasSubstr("Invalid account or account/partition combination "
                                            "specified; the rest of 'a' was not tried"));
  mode("");
  EXPECT_EQ(submit_all().submitted, 4U);
}

TEST_F(SubmitTest, ArraysAreCutAtTheSitesLimitWithATableOfPoints) {
  const auto experiment =
      folder_.write("y.yaml", "name: x\nsweep: {epochs: 1..5}\nallocations: [a]\n");
  const auto out = folder_ / "arrays";
  generate({experiment, folder_ / "c.yaml", out, {}, {}});
  const auto report =
      submit({.out = out, .filters = {}, .points = {}, .array = true, .throttle = 2});
  EXPECT_EQ(report.submitted, 5U);
  ASSERT_EQ(report.commands.size(), 2U);
  EXPECT_THAT(report.commands[0], HasSubstr("--array=0-2%2"));
  EXPECT_THAT(report.commands[1], HasSubstr("--array=0-1%2"));
  const auto jobs = Journal(out / "submissions.jsonl").jobs();
  EXPECT_EQ(jobs.size(), 5U);
  EXPECT_THAT(read_file(out / "site.json"), HasSubstr("\"max_array_size\": 3"));
}

TEST_F(SubmitTest, WithoutArraysTheThrottleIsADependency) {
  const auto report = submit({.out = out_, .filters = {}, .points = {}, .throttle = 2});
  EXPECT_THAT(report.commands[1], testing::Not(HasSubstr("--dependency")));
  EXPECT_THAT(report.commands[2], HasSubstr("--dependency=afterany:1 "));
  EXPECT_THAT(report.commands[3], HasSubstr("--dependency=afterany:2 "));
}

TEST_F(SubmitTest, TheSettingsOfAnEnclosingJobAreNotPassedOn) {
  const test::WithVariable memory("SLURM_MEM_PER_NODE", "100"), account("SBATCH_ACCOUNT", "x"),
      config("SLURM_CONF", "/x");
  submit_all();
  EXPECT_THAT(read_file(folder_ / "fake/inherited"), HasSubstr("SLURM_CONF=/x"));
  EXPECT_THAT(read_file(folder_ / "fake/inherited"),
              testing::Not(testing::AnyOf(HasSubstr("SLURM_MEM"), HasSubstr("SBATCH_"))));
}

// ---- what becomes of the jobs

std::vector<std::string> states(const StatusReport& report) {
  std::vector<std::string> states;
  for (const auto& point : report.points) {
    states.push_back(point.state + (point.reason.empty() ? "" : ": " + point.reason));
  }
  return states;
}

/// The lines of a record as a job that runs has written them.
std::string running_record(const std::string& point, const std::string& job) {
  return fmt::format(
      R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:00+00:00","outcome":"running","point":"{}","job_id":"{}"}})"
      "\n",
      point, job);
}

TEST_F(SubmitTest, StatusTellsWhatTheQueueAndTheAccountingSay) {
  EXPECT_THAT(states(status(out_)), ElementsAre("new", "new", "new", "new"));
  submit_all();
  EXPECT_THAT(states(status(out_)), testing::Each("pending: Priority"));
  folder_.write("fake/queue", "2|2|RUNNING|1:05|None|x|t\n3|3|CANCELLED by 0|0:00|None|x|t\n");
  folder_.write("fake/accounting", "1|1|NODE_FAIL|9|0:0|0|x|t\n4|4|FAILED|9|0:53|0|x|t\n");
  const auto report = status(out_);
  EXPECT_THAT(states(report), ElementsAre("missing: NODE_FAIL", "running", "missing: CANCELLED",
                                          "missing: FAILED, exit 0:53"));
  EXPECT_EQ(report.points[1].elapsed_s, 65);
}

TEST_F(SubmitTest, ARecordWhoseJobIsGoneIsSettledWithTheReasonButNeverOnSilence) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  mode("down");
  auto report = status(out_);
  EXPECT_EQ(states(report)[0], "running");
  EXPECT_THAT(report.scheduler_problem, HasSubstr("Unable to contact"));
  mode("");
  folder_.write("fake/queue", "");
  folder_.write("fake/accounting", "1|1|TIMEOUT|9|0:0|0|x|t\n");
  EXPECT_EQ(states(status(out_))[0], "lost: TIMEOUT");
  EXPECT_THAT(read_file(out_ + "/records/p-1.jsonl"),
              HasSubstr(R"("outcome":"lost","outcome_text":"TIMEOUT")"));
}

TEST_F(SubmitTest, WithoutAccountingAGoneJobIsStillKnownToBeGone) {
  submit_all();
  folder_.write("fake/queue", "");
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  const auto report = status(out_);
  EXPECT_EQ(states(report)[0], "lost: its job is gone; the scheduler no longer says why");
  EXPECT_EQ(report.points[1].state, "missing");
}

TEST_F(SubmitTest, ResubmitMovesTheDeadClaimAsideAndSubmitsOnceMore) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  const auto queued = queue();
  folder_.write("fake/queue", queued.substr(queued.find('\n') + 1));
  folder_.write("fake/accounting", "1|1|TIMEOUT|9|0:0|0|x|t\n");
  const SubmitRequest request{.out = out_, .filters = {}, .points = {}};
  EXPECT_TRUE(resubmit(request, {.failed = true, .missing = true, .tainted = true}).points.empty());
  const auto report = resubmit(request, {.timeout = true});
  EXPECT_EQ(report.submitted.submitted, 1U);
  EXPECT_TRUE(fs::exists(out_ + "/claims/released/" + points_[0] + ".1"));
  EXPECT_TRUE(fs::exists(out_ + "/claims/" + points_[0] + ".resume"));
  EXPECT_EQ(states(status(out_))[0], "pending: Priority");
  EXPECT_TRUE(resubmit(request, {.timeout = true}).points.empty()) << "its new job waits";
}

TEST_F(SubmitTest, NothingIsResubmittedWhileTheControllerIsSilent) {
  submit_all();
  mode("down");
  EXPECT_THAT(
      error_of([&] { resubmit({.out = out_, .filters = {}, .points = {}}, {.missing = true}); }),
      HasSubstr("no attempt is known to be dead"));
}

TEST(Resubmit, StatesAreDividedAmongTheFlags) {
  const auto point = [](const char* state, const char* reason, const char* tainted = "") {
    PointStatus status{};
    status.state = state;
    status.reason = reason;
    status.tainted = tainted;
    return status;
  };
  EXPECT_TRUE(is_wanted(point("failed", "no GPU"), {.failed = true}));
  EXPECT_FALSE(
      is_wanted(point("failed", "no GPU"), {.timeout = true, .missing = true, .tainted = true}));
  EXPECT_TRUE(is_wanted(point("stopped", "USR1"), {.timeout = true}));
  EXPECT_TRUE(is_wanted(point("lost", "TIMEOUT"), {.timeout = true}));
  EXPECT_FALSE(is_wanted(point("lost", "TIMEOUT"), {.missing = true}));
  EXPECT_TRUE(is_wanted(point("lost", "NODE_FAIL"), {.missing = true}));
  EXPECT_TRUE(is_wanted(point("missing", "CANCELLED"), {.missing = true}));
  EXPECT_TRUE(is_wanted(point("complete", "", "other partition"), {.tainted = true}));
  EXPECT_FALSE(is_wanted(point("complete", ""),
                         {.failed = true, .timeout = true, .missing = true, .tainted = true}));
  EXPECT_FALSE(is_wanted(point("running", "", "x"),
                         {.failed = true, .timeout = true, .missing = true, .tainted = true}));
}

}  // namespace
}  // namespace epochcast::jobs
