// Several ranks on one and two nodes of a real Slurm: one record, stopping together, a node without
// power.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <thread>

#include "src/record/reader.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

class SlurmRanks : public SlurmLab {
 protected:
  SlurmRanks() { accounting_ = false; }

  void generate(const std::string& allocations, const std::string& more) {
    write("site.yaml",
          "scheduler: slurm\n"
          "defaults: {partition: teaching, cpus_per_task: 1, memory: 2G, time: 10m, signal_lead: "
          "30s}\n"
          "allocations:\n"
          "  one: {}\n"
          "  two: {tasks_per_node: 2}\n"
          "  spread: {nodes: 2}\n"
          "  four: {nodes: 2, tasks_per_node: 2}\n");
    write("experiment.yaml", fmt::format("name: ranks\nmodel: {{name: mlp, depth: 3}}\ndataset: "
                                         "{{name: synthetic, samples: 480}}\nbatch: 8\n"
                                         "allocations: [{}]\n{}\n",
                                         allocations, more));
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  }

  /// Until the only run trains, by its JSON lines: nobody reads a record that is open.
  void wait_for_steps() {
    const auto has_steps = [&] {
      for (const auto& entry : std::filesystem::directory_iterator(home("out/records"))) {
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (entry.path().extension() == ".jsonl" &&
            text.find(R"("table":"iterations")") != std::string::npos) {
          return true;
        }
      }
      return false;
    };
    while (!has_steps()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  record::Record record_of_the_only_run() {
    const auto paths = record::find_records({home("out/records").string()});
    EXPECT_EQ(paths.size(), 1u);
    return record::read_record(paths.at(0));
  }
};

TEST_F(SlurmRanks, OnOneAndTwoNodesWriteOneRecordEach) {
  generate("one, two, spread, four", "epochs: 2");
  must("epochcast-jobs submit out");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  std::map<std::string, std::pair<std::size_t, std::size_t>> found;  // allocation → ranks, nodes
  for (const auto& path : record::find_records({home("out/records").string()})) {
    const auto record = record::read_record(path);
    std::set<std::string> hosts;
    for (const auto& machine : record.machines) {
      hosts.insert(machine.host.str());
    }
    found[record.header.allocation.str()] = {record.machines.size(), hosts.size()};
  }
  const decltype(found) expected{
      {"one", {1, 1}}, {"two", {2, 1}}, {"spread", {2, 2}}, {"four", {4, 2}}};
  EXPECT_EQ(found, expected);
}

TEST_F(SlurmRanks, StopTogetherAndContinue) {
  generate("four", "epochs: 1000000");
  must("epochcast-jobs submit out");
  const auto job = wait_for_attempts("out", 1).front();
  must("scancel --signal=USR1 --batch " + job);
  const auto states = wait_until_settled("out");
  EXPECT_EQ(states.begin()->second.state, "stopped") << states.begin()->second.reason;
  EXPECT_THAT(record_of_the_only_run().header.outcome_text.str(), HasSubstr("stopped by SIGUSR1"));
  must("epochcast-jobs resubmit out --timeout");
  wait_for_attempts("out", 2);
  EXPECT_EQ(outcomes("out").size(), 2u);
}

TEST_F(SlurmRanks, ANodeWithoutPowerIsNamedInTheRecord) {
  generate("spread", "epochs: 1000000");
  must("epochcast-jobs submit out");
  const auto job = wait_for_attempts("out", 1).front();
  wait_for_steps();
  const auto nodes = must("scontrol show hostnames $(squeue -h -o %N -j " + job + ")");
  const auto second = nodes.substr(nodes.find('\n') + 1);
  lab({"kill-node", second.substr(0, second.find('\n'))});
  wait_until_settled("out");
  const auto header = record_of_the_only_run().header;
  EXPECT_EQ(header.outcome.view(), "failed");
  EXPECT_THAT(header.outcome_text.str(),
              HasSubstr("rank 1 on " + second.substr(0, second.find('\n'))));
}

TEST_F(SlurmRanks, AStoppedRankEndsTheJob) {
  generate("spread", "epochs: 1000000");
  must("epochcast-jobs submit out");
  const auto job = wait_for_attempts("out", 1).front();
  wait_for_steps();
  // Of the two trainers of this cluster the one whose environment says so is rank 1.
  root(
      "for p in $(pgrep -f epochcast-train); do "
      "tr '\\0' '\\n' </proc/$p/environ | grep -qx SLURM_PROCID=1 && kill -STOP $p; done; true");
  wait_until_settled("out");
  const auto header = record_of_the_only_run().header;
  EXPECT_EQ(header.outcome.view(), "failed");
  EXPECT_THAT(header.outcome_text.str(), HasSubstr("rank 1 on "));
  EXPECT_THAT(header.outcome_text.str(), HasSubstr("sent no heartbeat for "));
}

/// Other ranks than the first begin when alice says so; until then strangers knock.
class SlurmStrangers : public SlurmRanks, public testing::WithParamInterface<int> {
 protected:
  void submit(int nodes) {
    write(
        "job.sh",
        fmt::format("#!/bin/bash\n#SBATCH --nodes={} --ntasks=2 --mem=2G --time=10\n"
                    "srun bash -c '[ $SLURM_PROCID = 0 ] || until [ -e go ]; do sleep 0.1; done;"
                    " exec epochcast-train --model=mlp --dataset=synthetic --epochs=2 --point=p'\n",
                    nodes));
    must("sbatch job.sh");
    must("until ls work/p/ranks-*.secret; do sleep 0.1; done");
  }

  /// What the ports of alice's ranks answer to 100 connections of `user`.
  std::string strangers_of(const std::string& user) {
    return root("runuser -u " + user +
                " -- python3 - $(id -u alice) 100 < " EPOCHCAST_SOURCE_DIR
                "/tests/slurm/stranger.py");
  }
};

TEST_P(SlurmStrangers, AreRefusedWhileRanksWaitForEachOther) {
  const int nodes = GetParam();
  submit(nodes);
  EXPECT_EQ(must("stat -c %a work/p/ranks-*.secret"), "600\n");
  const std::string address = nodes == 1 ? "127.0.0.1" : "0.0.0.0";
  EXPECT_EQ(strangers_of("bob"), "100 " + address + "\n");
  EXPECT_EQ(strangers_of("alice"), "100 " + address + "\n");
  must("touch go; until [ -z \"$(squeue -h)\" ]; do sleep 0.3; done");
  EXPECT_EQ(must("ls work/p | grep -c secret || true"), "0\n");
  const auto paths = record::find_records({home("records").string()});
  ASSERT_EQ(paths.size(), 1u);
  const auto record = record::read_record(paths[0]);
  EXPECT_EQ(record.header.outcome.view(), "complete") << record.header.outcome_text.str();
  EXPECT_EQ(record.machines.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(OnNodes, SlurmStrangers, testing::Values(1, 2));

}  // namespace
}  // namespace epochcast
