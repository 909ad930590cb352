// Several partitions, and one whose jobs others preempt, on a real Slurm.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/fake_trainer.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

/// With a partition `cheap` on the nodes of `teaching`, whose jobs preempt those of `cheap`.
class SlurmPartitions : public SlurmLab {
 protected:
  SlurmPartitions() { enforce_part_limits_ = "ANY"; }
  void SetUp() override {
    SlurmLab::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    lab({"stop", "slurmctld"});
    root(
        "sed -i 's/^PreemptType=.*/PreemptType=preempt\\/partition_prio/' $SLURM_CONF && echo "
        "'PartitionName=cheap Nodes=t4-[01-03] MaxTime=1-0 PriorityTier=0 PreemptMode=REQUEUE' "
        ">>$SLURM_CONF");
    lab({"start", "slurmctld"});
    must("for t in $(seq 60); do sinfo -h -o %T | grep -qv idle || exit 0; sleep 1; done; exit 1");
  }
  void site(const std::string& allocations) {
    write("site.yaml",
          "scheduler: slurm\ndefaults: {account: csc101, memory: 1G, signal_lead: 10s, time: 10m}\n"
          "allocations:\n" +
              allocations);
  }
};

TEST_F(SlurmPartitions, AJobRunsInTheOneThatTakesItAndItsRecordSaysWhich) {
  program("work", "#!/bin/bash\nsleep 1\n");
  site("  both: {partition: [quick, teaching], cpus: 2}\n");
  write("experiment.yaml", fmt::format("name: lab\ncommand: [{}]\n", home("bin/work").string()));
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  EXPECT_THAT(
      must("epochcast-jobs check out 2>&1"),
      HasSubstr("allocation 'both': time 10m exceeds the limit of partition 'quick', 2m; the "
                "job waits for the other partitions"));
  must("epochcast-jobs submit out");
  for (const auto& [point, now] : wait_until_settled("out")) {
    EXPECT_EQ(now.state, "complete") << now.reason;
    EXPECT_EQ(now.tainted, "");
  }
  EXPECT_THAT(must("grep '\"name\":\"partition\"' out/records/*.jsonl"),
              HasSubstr(R"("asked":"quick,teaching","got":"teaching")"));
}

TEST_F(SlurmPartitions, AdviceAddsWhatPreemptionIsExpectedToLose) {
  program("train", test::fake_trainer);
  site(
      "  cheap: {trainer: ./bin/train, partition: cheap, cpus: 2, prices: {currency: SU, cpu_hour: "
      "0.1}, setup: ['export "
      "FAKE_STEP_S=1']}\n"
      "  usual: {trainer: ./bin/train, partition: teaching, cpus: 2, prices: {currency: SU, "
      "cpu_hour: 1}, setup: "
      "['export "
      "FAKE_STEP_S=1']}\n");
  write("experiment.yaml",
        "name: lab\nmodel: dcgan\ndataset: {name: synthetic, samples: 40}\nbatch: 4\ndevice: cpu\n"
        "epochs: 4\n");
  must(
      "PATH=$HOME/bin:$PATH epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out "
      "&& "
      "epochcast-jobs submit out");
  wait_until_settled("out");
  const auto advice = [&](const std::string& part) {
    const auto text = must(
        "epochcast-jobs advise experiment.yaml --cluster ./site.yaml --from out --explain --format "
        "json --part " +
        part);
    return nlohmann::json::parse(text).at("tables").at(0).at("rows");
  };
  EXPECT_THAT(advice("advice")[0].at("remark").get<std::string>(),
              HasSubstr("may be preempted; the loss is not known"));
  must("sbatch -Q -p cheap -N 3 -n 3 -c 32 --mem=1G -t 10 --wrap 'sleep 300'");
  must("for t in $(seq 60); do [ $(squeue -h -t R | wc -l) = 1 ] && exit; sleep 1; done; exit 1");
  must("sleep 3; sbatch -Q -p teaching -c 32 --mem=1G -t 2 --wrap 'sleep 1'");
  must(
      "for t in $(seq 90); do [ $(sacct -nXPD -s PR -S 2020-01-01 -E now -o JobID | wc -l) = 1 ] "
      "&& exit; "
      "sleep 1; done; exit 1");
  must("scancel -u alice");
  const auto details = advice("details");
  EXPECT_GT(details[0].at("preemptions").get<double>(), 0);
  EXPECT_TRUE(details[1].at("preemptions").is_null()) << details[1];
  EXPECT_THAT(advice("sources").dump(), HasSubstr("preempted: 1 of "));
}

}  // namespace
}  // namespace epochcast
