// Several points in one job.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SlurmPack : public SlurmLab {
 protected:
  /// Eight points of a program that prints `seconds` epochs of a second; `pack`: keys of the
  /// profile.
  void generate(const std::string& pack, const std::string& seconds,
                const std::string& more = "time: 10m") {
    program("train.sh",
            "#!/bin/bash\n"
            "for ((i = 1; i <= $1; ++i)); do\n"
            "  sleep 1\n"
            "  [ \"$1$i\" != 32 ] || exit 3\n"
            "  [ \"$1$i\" != 42 ] || kill -KILL $$\n"
            "  echo \"Epoch $i/$1 loss: 1\"\n"
            "done\n");
    write("experiment.yaml", "name: x\ncommand: [bash, " + home("bin/train.sh").string() +
                                 ", '{epochs}']\nsweep: {epochs: [" + seconds + "]}\n");
    write("site.yaml",
          "scheduler: slurm\n"
          "defaults: {account: csc101, memory: 1G, signal_lead: 10s}\n"
          "allocations:\n"
          "  a: {partition: teaching, cpus: 2, pack: {points: 8, " +
              pack + "}, " + more + "}\n");
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
    must("epochcast-jobs check out");
  }
};

TEST_F(SlurmPack, OneJobRunsEightPointsTwoAtATimeWhateverEndsSomeOfThem) {
  generate("parallel: 2", "1, 2, 3, 4, 5, 6, 7, 8");
  must("epochcast-jobs submit out");
  EXPECT_EQ(root("squeue -h | wc -l"), "1\n") << "one job for all points";
  std::size_t complete = 0, failed = 0;
  for (const auto& [point, now] : wait_until_settled("out")) {
    EXPECT_THAT(now.tainted, IsEmpty()) << point << ": a share of the job is what it asked for";
    complete += now.state == "complete" ? 1 : 0;
    failed += now.state == "failed" ? 1 : 0;
  }
  EXPECT_EQ(complete, 6U);
  EXPECT_EQ(failed, 2U) << "one exits, one is killed";
  EXPECT_THAT(root("sacct -n -P -X -o alloctres"), HasSubstr("cpu=4,mem=2G"));
  EXPECT_THAT(root("sacct -n -P -o jobid,alloctres"), HasSubstr(".0|cpu=2,mem=1G"))
      << "each has its share";
  must("sed -i '/exit 3/d; /KILL/d' bin/train.sh && epochcast-jobs resubmit out --failed");
  wait_until_settled("out");
  EXPECT_EQ(outcomes("out").size(), 10U) << "a record of each attempt";
  std::size_t points = 0;
  for (const auto& [record, outcome] : outcomes("out")) {
    points += outcome == "complete" ? 1 : 0;
  }
  EXPECT_EQ(points, 8U);
}

TEST_F(SlurmPack, APointIsCancelledAloneAndOneThatHasNotBegunIsLeftOut) {
  generate("parallel: 1", "60, 5, 6", "time: 10m, retry: {failed: restart, attempts: 2}");
  must("epochcast-jobs submit out");
  wait_for_attempts("out", 1);
  must(
      "epochcast-jobs cancel out --filter epochs=5 && epochcast-jobs cancel out --filter "
      "epochs=60");
  for (const auto& [point, now] : wait_until_settled("out")) {
    if (point.find(".e6.") != std::string::npos) {
      EXPECT_EQ(now.state, "complete") << point << ": " << now.reason;
    } else {
      EXPECT_THAT(now.reason, HasSubstr("CANCELLED")) << point << ": " << now.state;
    }
  }
  EXPECT_THAT(outcomes("out"), ::testing::SizeIs(2)) << "one was not begun";
  EXPECT_EQ(root("sacct -n -P -X -o jobid | wc -l"), "1\n");
}

TEST_F(SlurmPack, APointThatFailsIsSubmittedAgainWhileItsJobGoesOn) {
  generate("parallel: 1", "3, 12", "time: 10m, retry: {failed: restart, attempts: 2}");
  must("epochcast-jobs submit out");
  for (const auto& [point, now] : wait_until_settled("out")) {
    EXPECT_EQ(now.state, point.find(".e3.") == std::string::npos ? "complete" : "failed") << point;
  }
  EXPECT_THAT(outcomes("out"), ::testing::SizeIs(3)) << "two of the one that fails each time";
  EXPECT_EQ(root("sacct -n -P -X -o jobid | wc -l"), "2\n");
}

TEST_F(SlurmPack, EachOfThoseThatRunTogetherHasItsOwnGpu) {
  generate("parallel: 2", "5, 6", "time: 10m, gpus: 1, gpu: t4");
  must("sed -i '2i echo \"gpu $CUDA_VISIBLE_DEVICES\"' bin/train.sh && epochcast-jobs submit out");
  for (const auto& [point, now] : wait_until_settled("out")) {
    EXPECT_EQ(now.state, "complete") << point << ": " << now.reason;
    EXPECT_THAT(now.tainted, IsEmpty());
  }
  EXPECT_EQ(root("grep -h ^gpu " + home("out/logs").string() + "/x.* | sort"), "gpu 0\ngpu 1\n");
}

TEST_F(SlurmPack, PointsThatTheLimitLeftOutRunInAnotherJob) {
  generate("parallel: 1", "11, 12, 13, 14", "time: 1m");
  must("epochcast-jobs submit out");
  // When a job ends, the points that it left out have none until it has submitted the next one.
  auto points = wait_until_settled("out");
  const auto is_new = [](const auto& point) { return point.second.state == "new"; };
  for (int again = 0; again < 20 && std::ranges::any_of(points, is_new); ++again) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    points = wait_until_settled("out");
  }
  for (const auto& [point, now] : points) {
    EXPECT_EQ(now.state, "complete") << point << ": " << now.reason;
  }
  EXPECT_THAT(outcomes("out"), ::testing::SizeIs(4));
  EXPECT_NE(root("sacct -n -P -X -o jobid | wc -l"), "1\n");
}

}  // namespace
}  // namespace epochcast
