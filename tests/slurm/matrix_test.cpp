// What works when nothing goes wrong: the lab's matrix, arrays, checks before submitting, a profile
// from the site.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

class SlurmMatrix : public SlurmLab {};

class SlurmCheck : public SlurmLab {
 protected:
  SlurmCheck() {
    accounting_ = false;
    enforce_part_limits_ = "NO";  // Slurm's default, with which a job may wait for ever
  }
};

TEST_F(SlurmMatrix, TheWholeLabBecomesTheTable) {
  experiment("cpu2, cpu16, t4, v100", "sweep: {epochs: [1, 2]}");
  must("epochcast-jobs generate experiment.yaml --cluster rosie -o out");
  must("epochcast-jobs check out");
  must("epochcast-jobs submit out");
  const auto states = wait_until_settled("out");
  EXPECT_EQ(states.size(), 8);
  expect_every_point_complete_once("out");

  const auto table = must("epochcast-analyze table lab out/records");
  for (const auto* allocation : {"cpu2", "cpu16", "t4", "v100"}) {
    EXPECT_THAT(table, HasSubstr(allocation));
  }
  EXPECT_THAT(table, HasSubstr("cpu (v100 claimed)"))
      << "a claimed GPU that computed nothing must show";
}

TEST_F(SlurmMatrix, AnArrayRunsEveryPointOnce) {
  experiment("cpu2", "sweep: {epochs: [1, 2]}\nrepeats: 2");
  must("epochcast-jobs generate experiment.yaml --cluster rosie -o out");
  must("epochcast-jobs submit out --array --throttle 2");
  EXPECT_THAT(root("squeue -h -o %F | sort -u | wc -l"), "1\n") << "one job for all points";
  wait_until_settled("out");
  expect_every_point_complete_once("out");
}

TEST_F(SlurmMatrix, CudaWhereNoneWorksIsAFailureNotASilentCpuRun) {
  experiment("t4", "epochs: 1");
  must("epochcast-jobs generate experiment.yaml --cluster rosie -o out --set device=cuda");
  must("epochcast-jobs submit out");
  for (const auto& [point, now] : wait_until_settled("out")) {
    EXPECT_EQ(now.state, "failed");
    EXPECT_THAT(now.reason, HasSubstr("CUDA"));
  }
  EXPECT_EQ(alice("epochcast-jobs status out").status, 1);
}

TEST_F(SlurmMatrix, AProfileDetectedFromTheSiteIsOneToSubmitWith) {
  const auto profile = must("epochcast-jobs cluster detect");
  EXPECT_THAT(profile, HasSubstr("partition: dgx"));
  EXPECT_THAT(profile, HasSubstr("gpu: v100"));
  write("detected.yaml", profile);
  experiment("teaching-cpu2, dgx-v100", "epochs: 1");
  // On the CPU, since 'check' rejects GPUs for a trainer without CUDA.
  must("epochcast-jobs generate experiment.yaml --cluster ./detected.yaml -o out --set device=cpu");
  must("epochcast-jobs check out");
}

TEST_F(SlurmCheck, FindsWhatTheSchedulerWouldAccept) {
  struct Case {
    std::string allocation;  // of the profile
    std::string setting;     // of the experiment, with --set
    std::string found;       // what check must say
  };
  const std::vector<Case> cases{
      {"{partition: quick, cpus: 2, memory: 4G, time: 30m}", "epochs=1", "quick"},
      {"{partition: teaching, cpus: 2, gpus: 1, gpu: T4, memory: 4G, time: 30m}", "epochs=1", "T4"},
      {"{partition: teaching, cpus: 2, memory: 4G, time: 30m, trainer: /no/such/trainer}",
       "epochs=1", "/no/such/trainer"},
      {"{partition: teaching, cpus: 2, memory: 900G, time: 30m}", "epochs=1", "memory"},
      {"{partition: teaching, cpus: 2, memory: 4G, time: 30m}",
       "dataset=images --set dataset.path=/no/such/images", "/no/such/images"},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [allocation, setting, found] = cases[i];
    const auto out = fmt::format("out{}", i);
    write("site.yaml", "scheduler: slurm\nallocations:\n  odd: " + allocation + "\n");
    experiment("odd", "");
    must(fmt::format("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o {} --set {}",
                     out, setting));
    const auto checked = alice("epochcast-jobs check " + out);
    EXPECT_EQ(checked.status, 1) << allocation << setting;
    EXPECT_THAT(checked.out + checked.err, HasSubstr(found)) << allocation << setting;
  }
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o gone && rm -r gone/logs");
  EXPECT_THAT(alice("epochcast-jobs check gone").out, HasSubstr("logs"));
}

}  // namespace
}  // namespace epochcast
