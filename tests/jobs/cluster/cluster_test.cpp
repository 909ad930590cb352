#include "jobs/cluster/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;

Cluster read_profile(const std::string& text) {
  return cluster_from(run::yaml::parse_text(text, "/p/site.yaml"));
}

TEST(Cluster, DefaultsApplyToEveryAllocationAndCanBeOverridden) {
  const auto cluster = read_profile(R"(
scheduler: slurm
defaults:
  account: csc101
  setup: ["module load cuda"]
  trainer: ../bin/epochcast-train
  memory: 16G
  time: 12h
  sbatch: ["--reservation=course"]
allocations:
  cpu2: {partition: teaching, cpus: 2, smt: on}
  t4x8: {partition: gpu, nodes: 2, tasks_per_node: 4, cpus_per_task: 8, gpus_per_task: 1, gpu: t4, account: other, setup: [], time: 2h}
)");
  EXPECT_EQ(cluster.name, "site");
  const auto& cpu2 = profile_of(cluster, "cpu2");
  EXPECT_EQ(cpu2.asks.account, "csc101");
  EXPECT_EQ(cpu2.asks.smt, "on");
  EXPECT_EQ(cpu2.asks.memory.value, 16LL << 30);
  EXPECT_EQ(cpu2.launch.trainer, "/bin/epochcast-train")
      << "a relative trainer is found from the profile";
  EXPECT_EQ(cpu2.setup, std::vector<std::string>{"module load cuda"});
  const auto& t4x8 = profile_of(cluster, "t4x8");
  EXPECT_EQ(t4x8.asks.account, "other");
  EXPECT_EQ(t4x8.asks.cpus, 8);
  EXPECT_EQ(t4x8.asks.gpus, 1);
  EXPECT_EQ(run::tasks_of(t4x8.asks), 8);
  EXPECT_TRUE(t4x8.setup.empty());
  EXPECT_EQ(t4x8.sbatch, std::vector<std::string>{"--reservation=course"});
}

TEST(Cluster, TasksOfTheWholeJobAreDividedAmongItsNodes) {
  const auto cluster = read_profile(R"(
scheduler: slurm
defaults: {memory: 16G, time: 12h, nodes: 2}
allocations:
  six: {tasks: 6}
  four: {tasks: 4, nodes: 4}
)");
  EXPECT_EQ(find_profile(cluster, "six")->asks.tasks_per_node, 3);
  EXPECT_EQ(find_profile(cluster, "four")->asks.tasks_per_node, 1);
}

TEST(Cluster, BadProfilesGetOneLineWithPlaceFoundAndExpected) {
  const std::string head = "scheduler: slurm\nallocations:\n  a: ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"scheduler: pbs", "/p/site.yaml:1: scheduler: found 'pbs', expected one of slurm, local"},
      {"allocations: {}", "/p/site.yaml:1: found no scheduler, expected 'scheduler: ...'"},
      {"scheduler: local", "/p/site.yaml:1: found no allocations, expected 'allocations: ...'"},
      {"scheduler: slurm\nallocation: {}",
       "/p/site.yaml:2: unknown key 'allocation'; did you mean 'allocations'?"},
      {head + "{cpu: 2}", "/p/site.yaml:3: unknown key 'cpu'; did you mean 'cpus'?"},
      {head + "{nodes: 2, tasks: 3}",
       "/p/site.yaml:3: tasks: found '3', expected a whole number >=1 that 2 nodes divide"},
      {head + "{nodes: 2, tasks: 8, tasks_per_node: 3}",
       "/p/site.yaml:3: tasks and tasks_per_node are mutually exclusive: both set the same "
       "value"},
      {head + "{tasks_per_node: 4, gpus: 4, gpus_per_task: 2}",
       "/p/site.yaml:3: gpus and gpus_per_task are mutually exclusive: both set the same "
       "value"},
      {head + "{tasks: two}",
       "/p/site.yaml:3: tasks: found 'two', expected a whole number >=1 that 1 node divides"},
      {head + "{cpus: 0}", "/p/site.yaml:3: cpus: found '0', expected a value in 1..1000000"},
      {head + "{memory: 16}",
       "/p/site.yaml:3: memory: found '16', expected a size with a unit, such as 16G or 512M"},
      {head + "{time: 120}",
       "/p/site.yaml:3: time: found '120', expected a duration with units, such as 90m, 1h30m or "
       "45s "
       "(Slurm reads a bare number as minutes, YAML reads 1:30:00 as 5400)"},
      {head + "{smt: maybe}", "/p/site.yaml:3: smt: found 'maybe', expected one of on, off"},
      {head + "{time: 2h}",
       "/p/site.yaml:3: a: memory is missing; without it a job may get the memory of a whole node. "
       "Add "
       "'memory: 16G', 'memory: all' for all memory of the nodes (--mem=0), or 'memory_flag: none' "
       "if the site refuses --mem"},
      {head + "{memory: 1G}", "/p/site.yaml:3: a: time is missing. Add 'time: 2h'"},
      {head + "{memory: 1G, time: 2m}",
       "/p/site.yaml:3: a: time 2m is not longer than signal_lead 2m, so the job would stop at "
       "once; raise 'time' or lower 'signal_lead'"},
      {"scheduler: slurm\nallocations:\n  a: {memory: 1G, time: 1h, time_min: 2h}",
       "/p/site.yaml:3: a: time_min: found 2h, expected more than signal_lead 2m and at most time "
       "1h"},
      {head + "{memory: 1G, time: 1h, gpu: t4}",
       "/p/site.yaml:3: a: gpu: t4 without a number. Add 'gpus: 1'"},
      {head + "{memory: 1G, time: 1h, gpus: 1, gpu_flag: constraint}",
       "/p/site.yaml:3: a: gpu_flag: constraint needs the GPU's feature. Add 'gpu: t4'"},
      {head + "{memory_flag: mem-per-gpu}",
       "/p/site.yaml:3: memory_flag: found 'mem-per-gpu', expected one of mem, mem-per-cpu, none; "
       "did you mean 'mem-per-cpu'?"},
      {head + "{partition: \"a\\nb\"}",
       "/p/site.yaml:3: found several lines, expected one: 'a\nb'"},
      {head + "{setup: [\"a\\nb\"]}", "/p/site.yaml:3: found several lines, expected one: 'a\nb'"},
      {head + "3",
       "/p/site.yaml:3: found a single value, expected a group of keys, such as '{cpus: 2, memory: "
       "4G}'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of([&, text = text] { read_profile(text); }), message) << text;
  }
}

TEST(Cluster, AListOfPartitionsIsWrittenAsTextOrAsAList) {
  for (const auto* text : {"\"a100,h100\"", "\"a100, h100\"", "[a100, h100]"}) {
    const auto site = read_profile(fmt::format(
        "scheduler: slurm\nallocations:\n  a: {{partition: {}, memory: 1G, time: 1h}}", text));
    EXPECT_EQ(site.allocations[0].asks.partition, "a100,h100") << text;
    EXPECT_THAT(run::partitions_of(site.allocations[0].asks), ElementsAre("a100", "h100"));
  }
}

TEST(Cluster, AllMemoryOrNoneAreMemoriesToo) {
  const auto site = [](const std::string& keys) {
    return read_profile("scheduler: slurm\ndefaults: {memory: 2G}\nallocations:\n  a: {time: 1h, " +
                        keys + "}")
        .allocations[0];
  };
  EXPECT_TRUE(site("memory: \"0\"").whole_memory);
  EXPECT_TRUE(site("memory: all").whole_memory);
  EXPECT_EQ(site("memory: all").asks.memory.value, 0);
  EXPECT_FALSE(site("cpus: 2").whole_memory);
  EXPECT_EQ(site("memory_flag: none").launch.memory_flag, "none");
}

TEST(Cluster, TasksShareTheGpusOfANodeOrHaveTheirOwn) {
  const auto asks = [](const std::string& keys) {
    return read_profile(
               "scheduler: slurm\ndefaults: {gpus: 2}\nallocations:\n  a: {nodes: 2, "
               "tasks_per_node: 4, memory: 1G, time: 1h, " +
               keys + "}")
        .allocations[0]
        .asks;
  };
  EXPECT_EQ(run::gpus_of(asks("cpus: 1")), 16);
  EXPECT_EQ(run::gpus_of(asks("gpus_per_node: 1")), 2);
  EXPECT_EQ(run::gpus_of_task(asks("gpus_per_node: 1")), 1);
  EXPECT_EQ(
      error_of([&] { asks("gpus: 1, gpus_per_node: 1"); }),
      "/p/site.yaml:4: gpus and gpus_per_node are mutually exclusive: both set the same value");
}

/// A profile whose allocation has `keys`, and this entry under `sbatch`.
std::string problem_of_entry(const std::string& entry, const std::string& keys = "") {
  return error_of([&] {
    read_profile("scheduler: slurm\nallocations:\n  a: {memory: 1G, time: 1h" + keys +
                 ", sbatch: ['" + entry + "']}");
  });
}

TEST(Cluster, AnEntryOfSbatchThatRepeatsAnOptionOfTheScriptNamesTheKey) {
  EXPECT_EQ(problem_of_entry("--gres=nvme:200", ", gpus: 1, gpu: v100"),
            "/p/site.yaml:3: a: sbatch: '--gres=nvme:200' is an option of the script (--gres), and "
            "the last one would count without a word; write 'gpus: N' and 'gpu: TYPE' for GPUs, "
            "'gres: nvme:200' for other resources");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--time=1:00:00", "write 'time: 2h'"},
      {"--time 60", "write 'time: 2h'"},
      {"-t60", "write 'time: 2h'"},
      {"-t 60", "write 'time: 2h'"},
      {"-p gpu", "write 'partition: gpu'"},
      {"-Qpgpu", "write 'partition: gpu'"},
      {"--part=gpu", "write 'partition: gpu'"},
      {"--nice=5 --qos=long", "write 'qos: long'"},
      {"--account=\"my lab\"", "write 'account: my lab'"},
      {"-J x", "leave it out: the job has the name of its point"},
      {"-Jx", "leave it out: the job has the name of its point"},
      {"--gres=gpu:1", "write 'gpus: N'"},
      {"--gpus-per-node=v100:1", "'gpus_per_node: N'"},
      {"-G2", "gpu_flag: gpus-total"},
      {"--mem=0", "'memory: all'"},
      {"--mem-per-gpu=4G", "write 'memory: SIZE'"},
      {"-N2 -n 8", "write 'nodes: 2'"},
      {"--tasks-per-node=4", "write 'tasks_per_node: 4'"},
      {"-c 4", "write 'cpus: 4'"},
      {"-C ib", "write 'constraint: ib'"},
      {"--exclusive", "write only 'exclusive: true'"},
      {"--hint=nomultithread", "'smt: off'"},
      {"--signal=B:TERM@60", "signal_lead"},
      {"-o x.log", "OUT/logs"},
      {"--array=1-4", "submit --array"},
      {"reservation=course", "expected an option of sbatch such as --reservation=course"}};
  for (const auto& [entry, fix] : cases) {
    EXPECT_THAT(problem_of_entry(entry), HasSubstr(fix)) << entry;
  }
}

TEST(Cluster, AnEntryOfSbatchWithoutAKeyIsAccepted) {
  for (const auto* entry :
       {"--reservation=course", "--nodelist=t4-01", "-w t4-01", "--mail-type=END", "--nice -5",
        "--gres-flags=enforce-binding", "--mem-bind=local", "--time-min=10", "--requeue",
        "--exclude=t4-[01-02]", "-x t4-01", "--gres=nvme:200", "--exclusive=user",
        "--hint=compute_bound", "-D /data -e x.err", "--licenses=a:1", "--comment=p q -t r"}) {
    const bool hides_another = std::string(entry).ends_with("-t r");
    EXPECT_EQ(problem_of_entry(entry).empty(), !hides_another) << entry;
  }
  EXPECT_EQ(problem_of_entry("--comment=\"p -t r\""), "") << "quoted, it is one word";
}

TEST(Cluster, ANameIsSearchedInTheUsersFoldersFirst) {
  const TempFolder folder;
  const auto own = folder.write("mine/rosie.yaml", "");
  const auto home = folder.write(".config/epochcast/clusters/site.yaml", "");
  const test::WithVariable clusters("EPOCHCAST_CLUSTERS",
                                    (folder / "none").string() + ":" + (folder / "mine").string());
  const test::WithVariable home_folder("HOME", folder / "");
  EXPECT_EQ(find_cluster_file("rosie"), own);
  EXPECT_EQ(find_cluster_file("site"), home);
  EXPECT_EQ(find_cluster_file("local"),
            std::string(EPOCHCAST_SOURCE_DIR) + "/jobs/clusters/local.yaml");
  EXPECT_EQ(find_cluster_file("./x.yaml"), "./x.yaml");
  EXPECT_EQ(error_of([] { find_cluster_file("rosy"); }),
            "unknown cluster 'rosy'; did you mean 'rosie'?");
}

}  // namespace
}  // namespace epochcast::jobs
