// What Slurm's commands are told, and what their answers mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/scheduler/scheduler.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = SubmitAnswer::Kind;

/// Programs in PATH that a test writes; each call of them is a line of FAKE.
class SlurmTest : public testing::Test {
 protected:
  void is(const std::string& program, const std::string& script) const {
    folder_.write("bin/" + program,
                  "#!/bin/bash\necho \"" + program + " $*\" >>\"$FAKE\"\n" + script + "\n", true);
  }
  std::string calls() const { return read_file(folder_ / "calls"); }
  /// The kind and the text of what sbatch answers.
  std::string submitted() const {
    const auto answer = slurm_.submit({.script = "s", .comment = "c"});
    return (answer.kind == Kind::job       ? "job "
            : answer.kind == Kind::refused ? "refused: "
                                           : "unknown: ") +
           answer.text;
  }

  Scheduler& slurm_ = slurm_scheduler();
  test::TempFolder folder_;
  test::WithVariable path_{"PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")};
  test::WithVariable fake_{"FAKE", folder_ / "calls"};
};

TEST_F(SlurmTest, AnAnswerOfSbatchIsAJobARefusalOrNeither) {
  is("sbatch", "echo 7");
  EXPECT_EQ(submitted(), "job 7");
  is("sbatch", "echo Welcome to the cluster; echo '8;main'");
  EXPECT_EQ(submitted(), "job 8");
  is("sbatch", "echo Welcome");
  EXPECT_EQ(submitted(), "unknown: sbatch succeeded without a job id: Welcome");
  is("sbatch", "echo 'sbatch: error: Invalid account or account/partition' >&2; exit 1");
  EXPECT_EQ(submitted(), "refused: sbatch: error: Invalid account or account/partition");
  for (const std::string lost : {"Unable to contact slurm controller (connect failure)",
                                 "Socket timed out on send/recv operation"}) {
    is("sbatch", "echo '" + lost + "' >&2; exit 1");
    EXPECT_EQ(submitted(), "unknown: " + lost);
  }
  is("sbatch", "kill -KILL $$");
  EXPECT_THAT(submitted(), testing::StartsWith("unknown: "));
}

TEST_F(SlurmTest, AnAnswerThatEndsWithinALineIsNone) {
  is("squeue", R"(printf '7|7|RUNNING|0:10|None|n|c\n8|8|PEND')");
  EXPECT_FALSE(slurm_.queue().answered);
  EXPECT_THAT(slurm_.queue().error, HasSubstr("ends within a line"));
  is("squeue", R"(printf '7|7|RUNNING|0:10|None|n|c\n')");
  EXPECT_EQ(slurm_.queue().jobs.size(), 1U);
}

TEST_F(SlurmTest, AMessageOfAMegabyteIsCut) {
  is("squeue", "head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1");
  EXPECT_EQ(slurm_.queue().error, std::string(300, 'x') + "...");
}

TEST_F(SlurmTest, ARequestIsACallOfSbatch) {
  EXPECT_THAT(sbatch_words({.script = "s", .comment = "c"}),
              ElementsAre("sbatch", "--parsable", "--comment=c", "s"));
  EXPECT_THAT(sbatch_words({.script = "s",
                            .comment = "c",
                            .job_name = "j",
                            .exclude = {"n1", "n2"},
                            .limit = Seconds{600},
                            .least_limit = Seconds{240},
                            .memory = "mem=1G",
                            .after_success = "3",
                            .after_end = "4"}),
              ElementsAre("sbatch", "--parsable", "--comment=c", "--exclude=n1,n2",
                          "--time=0-00:10:00", "--time-min=0-00:04:00", "--kill-on-invalid-dep=yes",
                          "--dependency=afterok:3,afterany:4", "--mem=1G", "--job-name=j", "s"));
  EXPECT_THAT(
      sbatch_words({.script = "s", .comment = "c", .job_name = "j", .elements = 3, .at_once = 2}),
      ElementsAre("sbatch", "--parsable", "--comment=c", "--array=0-2%2", "--job-name=j", "s"));
}

TEST_F(SlurmTest, ARefusalOfATestHasTheLinesOfSbatch) {
  is("sbatch", "echo 'sbatch: Job 3 to start at ...' >&2");
  EXPECT_THAT(slurm_.refusal_of("s"), IsEmpty());
  is("sbatch", "printf 'one\\n\\n two\\n' >&2; exit 1");
  EXPECT_THAT(slurm_.refusal_of("s"), ElementsAre("one", "two"));
  is("sbatch", "exit 1");
  EXPECT_THAT(slurm_.refusal_of("s"), ElementsAre("no error message"));
  EXPECT_THAT(calls(), testing::EndsWith("sbatch --test-only s\n"));
}

TEST_F(SlurmTest, AChangeIsOneCallOfScontrol) {
  is("scontrol", "");
  EXPECT_EQ(slurm_.change("1", {.limit = Seconds{600}, .least_limit = Seconds{240}}), "");
  EXPECT_EQ(slurm_.change("1", {.memory = "MinMemoryNode=1024"}), "");
  EXPECT_EQ(calls(),
            "scontrol update JobId=1 TimeLimit=0-00:10:00 TimeMin=0-00:04:00\n"
            "scontrol update JobId=1 MinMemoryNode=1024\n");
  is("scontrol", "echo 'Access/permission denied' >&2; exit 1");
  EXPECT_EQ(slurm_.change("1", {}), "Access/permission denied");
}

TEST_F(SlurmTest, AJobIsCancelledByItsNumber) {
  is("scancel", "");
  EXPECT_EQ(slurm_.cancel("1"), "");
  EXPECT_EQ(calls(), "scancel 1\n");
  is("scancel", "exit 1");
  EXPECT_EQ(slurm_.cancel("1"), "no error message");
  EXPECT_EQ(slurm_.ask_to_stop("1", 120), "no error message");
}

TEST_F(SlurmTest, TheNodesOfAJobThatTheControllerForgotAreInTheAccounting) {
  is("scontrol", "exit 1");
  is("sacct", "case \"$*\" in *'NodeList -j 1') echo n7 ;; *) echo 'None assigned' ;; esac");
  EXPECT_EQ(slurm_.node_list_of("1"), "n7");
  EXPECT_EQ(slurm_.node_list_of("2"), "");
}

TEST_F(SlurmTest, TheStepsOfAJobAreThoseBesideItsScript) {
  is("squeue", "echo 1.batch; echo 1.extern");
  EXPECT_TRUE(slurm_.has_no_steps("1"));
  EXPECT_THAT(calls(), HasSubstr("squeue -h -s -j 1 "));
}

TEST_F(SlurmTest, FailuresOfNodesAreThoseThatSacctPrints) {
  is("sacct",
     "[[ \"$*\" == *NODE_FAIL* ]] || exit 1\necho '8|NODE_FAIL|1795253887|n3'\n"
     "echo '7|BOOT_FAIL|0|None assigned'");
  const auto failures = slurm_.node_failures(7);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].node_list, "n3");
  EXPECT_EQ(failures[1].node_list, "");
}

TEST_F(SlurmTest, TheLimitsOfASiteAreInItsConfigurationAndTheAccounting) {
  is("scontrol", "printf 'MaxArraySize            = 3\\nMaxJobCount             = 10000\\n'");
  is("sacctmgr", "printf '\\n40\\n30\\n'");
  const auto limits = slurm_.limits().value();
  EXPECT_EQ(limits.max_array_size, 3);
  EXPECT_EQ(limits.max_job_count, 10000);
  EXPECT_EQ(limits.max_submit, 30);
  is("scontrol", "exit 1");
  EXPECT_FALSE(slurm_.limits());
}

}  // namespace
}  // namespace epochcast::jobs
