// What clusters do to their users. After each mishap: no point lost, none run twice, every run a
// record.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Pair;

class SlurmMishap : public SlurmLab {
 protected:
  /// `points` short trainings on cpu2, generated into out.
  void generate(int points) {
    experiment("cpu2", fmt::format("repeats: {}", points));
    generate_from_experiment();
  }

  /// Two that last.
  void generate_lasting(int seconds) {
    lasting_experiment("cpu2", seconds, "repeats: 2");
    generate_from_experiment();
  }

  void generate_from_experiment(const std::string& cluster = "rosie") {
    must("epochcast-jobs generate experiment.yaml --cluster " + cluster + " -o out");
  }

  /// How many jobs were ever submitted, as the controller knows: accounting hears of a job up to
  /// five seconds later, and the first job of Slurm 20.11 is number 2.
  int submitted() { return std::stoi(must("squeue -h --states=all -o %i | wc -l")); }

  process::CommandResult submit_with_fake() {
    return alice("PATH=$HOME/bin:$PATH epochcast-jobs submit out");
  }
};

TEST_F(SlurmMishap, ANodeThatDiesLosesNoPoint) {
  generate_lasting(20);
  must("epochcast-jobs submit out");
  const auto job = wait_for_attempts("out", 2).front();
  const auto node = must("squeue -h -o %N -j " + job);
  lab({"kill-node", node.substr(0, node.find('\n'))});
  wait_until_settled("out");
  EXPECT_THAT(outcomes("out"), Each(Pair(_, "lost")));
  must("epochcast-jobs resubmit out --failed --missing");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
}

TEST_F(SlurmMishap, ANodeThatFailedTwiceIsLeftOut) {
  program("work", "#!/bin/bash\nsleep \"${1:-20}\"\n");
  write("site.yaml",
        "scheduler: slurm\ndefaults: {account: csc101, memory: 1G}\nallocations:\n"
        "  cpu2: {partition: teaching, cpus: 2, time: 10m, exclude: auto}\n");
  write("experiment.yaml",
        fmt::format("name: lab\ncommand: [{}]\nrepeats: 2\n", home("bin/work").string()));
  generate_from_experiment("./site.yaml");
  must("epochcast-jobs submit out");
  const auto job = wait_for_attempts("out", 2).front();
  auto node = must("squeue -h -o %N -j " + job);
  node = node.substr(0, node.find('\n'));
  lab({"kill-node", node});
  wait_until_settled("out");
  EXPECT_THAT(must("epochcast-jobs resubmit out --missing 2>&1"),
              HasSubstr("cpu2: leaves out " + node + ": its last 2 attempts failed, the latest "));
  lab({"start-node", node});
  EXPECT_THAT(must("scontrol show job | grep -o ExcNodeList=.* | sort -u"),
              HasSubstr("ExcNodeList=" + node + "\n"));
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_THAT(must("epochcast-analyze table nodes out/records --format csv"),
              HasSubstr(node + ",2,0,0,,,,2,2,2 node_failure"));
}

TEST_F(SlurmMishap, ANodeThatDiesBeforeTheRecordBeginsIsLeftOut) {
  program("work", "#!/bin/bash\nsleep 1\n");
  write("site.yaml",
        "scheduler: slurm\ndefaults: {account: csc101, memory: 1G}\nallocations:\n"
        "  cpu2: {partition: teaching, cpus: 2, time: 10m, setup: [sleep 25], exclude: auto,\n"
        "    exclude_after: 1, retry: {node_failure: {exclude_node: true}}}\n");
  write("experiment.yaml", fmt::format("name: lab\ncommand: [{}]\n", home("bin/work").string()));
  generate_from_experiment("./site.yaml");
  must("epochcast-jobs submit out");
  auto node = must("until squeue -h -t running -o %N | grep .; do sleep 0.5; done");
  node = node.substr(0, node.find('\n'));
  lab({"kill-node", node});
  wait_until_settled("out");
  const auto again = must("epochcast-jobs resubmit out --retry 2>&1");
  EXPECT_THAT(again, HasSubstr("was missing, starts over: node_failure, not on " + node));
  EXPECT_THAT(again, HasSubstr("cpu2: leaves out " + node));
  lab({"start-node", node});
  wait_until_settled("out");
  expect_every_point_complete_once("out");
}

TEST_F(SlurmMishap, ARequeuedJobIsASecondAttemptAndTainted) {
  write("site.yaml",
        "scheduler: slurm\n"
        "defaults: {account: csc101, memory: 4G, sbatch: [--requeue]}\n"
        "allocations:\n"
        "  cpu2: {partition: teaching, cpus: 2, time: 10m}\n");
  lasting_experiment("cpu2", 20);
  generate_from_experiment("./site.yaml");
  must("epochcast-jobs submit out");
  root("scontrol requeue " + wait_for_attempts("out", 1).front());
  wait_for_attempts("out", 2);
  const auto states = wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_THAT(outcomes("out"), Contains(Pair(HasSubstr("-r1"), "complete")));
  EXPECT_THAT(states.begin()->second.tainted, HasSubstr("requeue"));
}

TEST_F(SlurmMishap, TheControllerDownWhileSubmittingForgetsNothing) {
  generate(3);
  lab({"stop", "slurmctld"});
  const auto refused = alice("epochcast-jobs submit out");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("Unable to contact slurm controller"));
  lab({"start", "slurmctld"});
  must("epochcast-jobs submit out");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
}

TEST_F(SlurmMishap, ACrashBetweenTwoSubmissionsSubmitsNothingTwice) {
  generate(4);
  // The second job reaches Slurm, but who submitted it is gone before it hears so.
  fake("sbatch", R"sh(/usr/bin/sbatch "$@"
echo x >>~/calls
[ "$(wc -l <~/calls)" != 2 ] || kill -KILL $PPID
)sh");
  EXPECT_NE(submit_with_fake().status, 0);
  must("epochcast-jobs submit out");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_EQ(submitted(), 4);
}

TEST_F(SlurmMishap, AnAnswerThatIsLostSubmitsNothingTwice) {
  generate(2);
  fake("sbatch", R"sh(/usr/bin/sbatch "$@" >/dev/null
echo 'sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received' >&2
exit 1
)sh");
  EXPECT_EQ(submit_with_fake().status, 1);
  must("epochcast-jobs submit out");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_EQ(submitted(), 2);
}

TEST_F(SlurmMishap, WithAccountingDownClaimsKeepAPointFromRunningTwice) {
  generate_lasting(10);
  lab({"stop", "slurmdbd"});
  must("epochcast-jobs submit out");
  wait_for_attempts("out", 2);
  must("for script in out/scripts/*; do sbatch $script; done");  // the user, by hand, once more
  wait_until_settled("out");
  must("while [ -n \"$(squeue -h)\" ]; do sleep 0.5; done");
  expect_every_point_complete_once("out");
  EXPECT_EQ(outcomes("out").size(), 2);
}

}  // namespace
}  // namespace epochcast
