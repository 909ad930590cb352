#include "jobs/submit/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/campaign/generate.hpp"
#include "jobs/cluster/detect.hpp"
#include "jobs/experiment/model_options.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::WithVariable;
using testing::ElementsAre;
using testing::HasSubstr;

// As a real Slurm 22.05 printed it.
const char* sinfo_text =
    "teaching*|1-00:00:00|32|192000|gpu:t4:4|3|1|t4,turing\n"
    "quick|2:00|32|192000|gpu:t4:4|3|1|t4,turing\n"
    "dgx|infinite|80|512000|gpu:v100:8|2|2|v100,volta,dgx\n"
    "plain|1:00:00|64|256000+|(null)|10|2|(null)\n"
    "untyped|1:00:00|16|64000|gpu:2|2|2|(null)\n";

std::vector<Problem> problems(const std::string& allocation) {
  const auto cluster =
      cluster_from(run::yaml::parse_text("scheduler: slurm\ndefaults: {memory: 1G, time: 30m, "
                                         "partition: teaching}\nallocations:\n  a: " +
                                             allocation,
                                         "c.yaml"));
  return check_site(cluster.allocations[0], slurm::parse_site(sinfo_text));
}

TEST(Check, FindsProblemsThatSbatchAcceptsAndNamesTheFix) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"{partition: teachin}", "partition 'teachin' is unknown; did you mean 'teaching'?",
       "correct 'partition'"},
      {"{time: 2d}", "time 2d exceeds the limit of partition 'teaching', 1d",
       "time: 1d, or another partition"},
      {"{cpus: 33}", "requests 33 CPUs per node, the largest of partition 'teaching' has 32",
       "cpus: 32"},
      {"{cpus: 10, tasks_per_node: 4}",
       "requests 40 CPUs per node, the largest of partition 'teaching' has 32", "cpus: 8"},
      {"{memory: 300G}", "requests 300G per node, the largest of partition 'teaching' has 192000M",
       "memory: 192000M"},
      {"{nodes: 4}", "requests 4 nodes, partition 'teaching' has 3", "nodes: 3"},
      {"{gpus: 1, gpu: T4}",
       "partition 'teaching' has no GPU of type 'T4'; did you mean 't4'? (types are "
       "case-sensitive)",
       "gpu: t4"},
      {"{gpus: 1, gpu: v100}", "partition 'teaching' has no GPU of type 'v100'; known: t4",
       "gpu: t4"},
      {"{gpus: 5, gpu: t4}", "requests 5 GPUs per node, the largest of partition 'teaching' has 4",
       "gpus: 4"},
      {"{gpus: 1, partition: plain}",
       "requests 1 GPU per node, the largest of partition 'plain' has 0", "another partition"},
      {"{gpus: 1, gpu: p100, partition: untyped}", "partition 'untyped' has no GPU of type 'p100'",
       "gpu_typed: false"},
      {"{gpus: 3, gpu: p100, gpu_typed: false, partition: untyped}",
       "requests 3 GPUs per node, the largest of partition 'untyped' has 2", "gpus: 2"},
      {"{constraint: turin}",
       "no node of partition 'teaching' has the feature 'turin'; did you mean 'turing'?",
       "see 'sinfo -o %f'"},
  };
  for (const auto& [allocation, text, fix] : cases) {
    EXPECT_THAT(problems(allocation), ElementsAre(Problem{"a", text, fix})) << allocation;
  }
}

TEST(Check, AcceptsAllocationsThatFit) {
  for (const auto* allocation : {"{}", "{time: 1d, cpus: 32}", "{partition: '', gpus: 4, gpu: t4}",
                                 "{partition: dgx, time: 60d, gpus: 1, gpu: v100}",
                                 "{gpus: 1, gpu: t4, gpu_flag: constraint}",
                                 "{partition: untyped, gpus: 2, gpu: p100, gpu_typed: false}",
                                 "{constraint: 't4&turing'}", "{partition: plain, memory: 250G}"}) {
    EXPECT_TRUE(problems(allocation).empty()) << allocation;
  }
}

TEST(Check, NamesEverythingMissingFromAFolder) {
  const TempFolder folder;
  const WithVariable path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH"));
  folder.write("bin/sinfo", fmt::format("#!/bin/bash\necho '{}'\n", sinfo_text), true);
  folder.write("bin/scontrol", "#!/bin/bash\nexit 1\n", true);
  folder.write("bin/sbatch",
               "#!/bin/bash\necho 'allocation failure: Invalid qos specification' >&2\nexit 1\n",
               true);
  const auto cluster = folder.write("c.yaml",
                                    "scheduler: slurm\nallocations:\n  a: {partition: teaching, "
                                    "cpus: 1, memory: 1G, time: 1h, trainer: ./none}\n");
  const auto experiment = folder.write(
      "x.yaml",
      fmt::format("name: {}\nweights: /none/weights\ndataset: {{name: images, path: /none/here}}\n",
                  std::string(70, 'n')));
  generate({experiment, cluster, folder / "out", {}, {}});
  fs::remove_all(folder / "out/logs");
  std::vector<std::string> texts;
  for (const auto& problem : check(folder / "out").problems) {
    texts.push_back(problem.text);
    EXPECT_FALSE(problem.fix.empty());
  }
  EXPECT_THAT(texts,
              ElementsAre("the folder is missing",
                          "the experiment's name has 70 bytes, a record holds at most 64",
                          "the file or folder of 'weights' does not exist",
                          "the file or folder of 'dataset.path' does not exist",
                          HasSubstr("/none' does not exist or is not executable (dcgan.a.e1.r0-"),
                          "sbatch --test-only: allocation failure: Invalid qos specification"));
}

TEST(Check, WithoutTheControllerAllocationsAreNotChecked) {
  const TempFolder folder;
  const WithVariable path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH"));
  folder.write("bin/sinfo", "#!/bin/bash\necho 'Unable to contact slurm controller' >&2\nexit 1\n",
               true);
  folder.write("x.yaml", "name: x\nmodel: mlp\ndataset: synthetic\n");
  const auto summary_with = [&](const std::string& scheduler) {
    const auto cluster = folder.write(
        scheduler + ".yaml",
        "scheduler: " + scheduler +
            "\nallocations:\n  a: {cpus: 1, memory: 1M, time: 1h, trainer: /bin/true}\n");
    const auto out = folder / ("out-" + scheduler);
    generate({folder / "x.yaml", cluster, out, {}, {}});
    const auto result =
        process::run_command({EPOCHCAST_BINARY_DIR "/epochcast-jobs", "check", out}, 60);
    EXPECT_EQ(result.status, 0) << result.out;
    return result.err;
  };
  EXPECT_THAT(summary_with("slurm"),
              testing::EndsWith("; the allocations were not checked\n"
                                "epochcast-jobs: no problem found in what could be checked\n"));
  EXPECT_EQ(summary_with("local"), "epochcast-jobs: no problem found\n");
}

/// A trainer of the archive, by what its LibTorch has code for: it takes the one of
/// EPOCHCAST_TORCH.
const char* archive_trainer =
    R"(#!/bin/bash
case ${EPOCHCAST_TORCH:-} in
*torch-2.7) echo 'LibTorch 2.7.1, AVX2, with CUDA for sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90' ;;
*) echo 'LibTorch 2.11.0, AVX2, with CUDA for sm_75 sm_80 sm_86 sm_90 sm_100 sm_120' ;;
esac
)";

TEST(Check, OfThePublishedStudyRefusesTheV100AloneUntilItHasItsLibTorch) {
  const TempFolder folder;
  const WithVariable path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH"));
  folder.write("bin/sinfo", "#!/bin/bash\nexit 1\n", true);  // no controller
  const auto trainer = folder.write("epochcast-train", archive_trainer, true);
  const auto checked = [&](const std::string& out, SiteSettings site) {
    site.emplace_back("trainer", trainer);
    generate({.experiment = EPOCHCAST_SOURCE_DIR "/experiments/lab_published.yaml",
              .cluster = EPOCHCAST_SOURCE_DIR "/jobs/clusters/rosie.yaml",
              .out = folder / out,
              .sets = {"dataset.path=" + (folder / "bin").string()},
              .filters = {},
              .site = site});
    return process::run_command({EPOCHCAST_BINARY_DIR "/epochcast-jobs", "check", folder / out}, 60)
        .out;
  };
  EXPECT_EQ(checked("newest", {}),
            fmt::format("v100: the LibTorch of the trainer '{}' has no code for the GPU 'v100' "
                        "(sm_70): it has code for sm_75 sm_80 sm_86 sm_90 sm_100 sm_120. Fix: set "
                        "'trainer' or 'torch' of the allocation to one with LibTorch 2.7 for CUDA, "
                        "which the preset 'torch27' builds with (docs/howto/install.md), or "
                        "generate with --set device=cpu\n",
                        trainer));
  EXPECT_EQ(checked("both", {{"v100.torch", "/opt/torch-2.7"}}), "");
}

TEST(Check, StartsTheTrainerOnceAndNamesOneThatCannotUseTheGpus) {
  const TempFolder folder;
  const WithVariable path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH"));
  folder.write("bin/sinfo", "#!/bin/bash\nexit 1\n", true);  // no controller
  folder.write("cpu", "#!/bin/bash\necho 'epochcast-train 1'; echo 'LibTorch 9, without CUDA'\n",
               true);
  folder.write("gpu", "#!/bin/bash\necho 'epochcast-train 1'; echo 'LibTorch 9, with CUDA'\n",
               true);
  folder.write("broken", "#!/bin/bash\necho 'libtorch.so: not found' >&2; exit 127\n", true);
  folder.write("x.yaml", "name: x\nmodel: mlp\ndataset: synthetic\n");
  int runs = 0;
  const auto checked = [&](const std::string& allocation, std::vector<std::string> settings = {}) {
    const auto cluster =
        folder.write("c.yaml", "scheduler: slurm\nallocations:\n  a: {memory: 1G, time: 1h, " +
                                   allocation + "}\n");
    const auto out = folder / fmt::format("out{}", ++runs);
    generate({folder / "x.yaml", cluster, out, std::move(settings), {}});
    return check(out);
  };
  const auto problems = checked("gpus: 1, trainer: ./cpu").problems;
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].text, HasSubstr("/cpu' cannot use a GPU: it is without CUDA"));
  EXPECT_TRUE(checked("gpus: 1, trainer: ./cpu", {"device=cpu"}).problems.empty());
  EXPECT_TRUE(checked("gpus: 1, trainer: ./gpu").problems.empty());
  EXPECT_TRUE(checked("cpus: 1, trainer: ./cpu").problems.empty());
  EXPECT_TRUE(checked("gpus: 1, trainer: ./cpu, modules: [torch]").problems.empty())
      << "the module may bring another trainer";

  folder.write("turing",
               "#!/bin/bash\necho 'LibTorch 2.11.0, AVX2, with CUDA for sm_75 sm_80 sm_90'\n",
               true);
  const auto missing = checked("gpus: 1, gpu: v100, trainer: ./turing").problems;
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_THAT(missing[0].text, HasSubstr("has no code for the GPU 'v100' (sm_70): it has code for "
                                         "sm_75 sm_80 sm_90"));
  EXPECT_THAT(missing[0].fix,
              HasSubstr("one with LibTorch 2.7 for CUDA, which the preset 'torch27'"));
  EXPECT_THAT(checked("gpus: 1, gpu: v100, trainer: ./cpu").problems[0].fix,
              HasSubstr("LibTorch 2.7"))
      << "not one that cannot use the card either";
  EXPECT_THAT(checked("gpus: 1, gpu: t4, trainer: ./cpu").problems[0].fix,
              HasSubstr("LibTorch 2.11"));
  for (const auto* card : {"t4", "a100", "l40s", "mi250x", "shiny9000", "''"}) {
    EXPECT_TRUE(checked(fmt::format("gpus: 1, gpu: {}, trainer: ./turing", card)).problems.empty())
        << card;
  }
  EXPECT_TRUE(checked("gpus: 1, gpu: v100, trainer: ./turing", {"device=cpu"}).problems.empty());

  const auto bf16 = checked("gpus: 1, gpu: t4, trainer: ./turing", {"precision=bf16"}).problems;
  ASSERT_EQ(bf16.size(), 1U);
  EXPECT_THAT(bf16[0].text, HasSubstr("the GPU 't4' (sm_75) has no bf16 arithmetic"));
  for (const auto* precision : {"precision=fp16", "precision=fp32"}) {
    EXPECT_TRUE(checked("gpus: 1, gpu: t4, trainer: ./turing", {precision}).problems.empty());
  }
  for (const auto* card : {"a100", "mi250x", "shiny9000", "''"}) {
    EXPECT_TRUE(
        checked(fmt::format("gpus: 1, gpu: {}, trainer: ./turing", card), {"precision=bf16"})
            .problems.empty())
        << card;
  }

  folder.write("needs-torch",
               "#!/bin/bash\n[[ $EPOCHCAST_TORCH == */libtorch ]] || { echo none >&2; exit 2; }\n",
               true);
  EXPECT_THAT(checked("cpus: 1, trainer: ./needs-torch").remarks,
              testing::Contains(HasSubstr("fails on this machine: none")));
  EXPECT_THAT(checked("cpus: 1, trainer: ./needs-torch, torch: ./libtorch").remarks,
              testing::Not(testing::Contains(HasSubstr("fails on this machine"))));

  const auto broken = checked("cpus: 1, trainer: ./broken");
  EXPECT_TRUE(broken.problems.empty()) << "compute nodes may have the library";
  EXPECT_THAT(broken.remarks, testing::Contains(testing::AllOf(
                                  HasSubstr("/broken --version' fails on this machine"),
                                  HasSubstr("libtorch.so: not found"))));
}

TEST(Check, NamesADataSetWithoutPathAndAcceptsTheShippedSamples) {
  const TempFolder folder;
  const auto cluster = folder.write(
      "c.yaml", "scheduler: local\nallocations:\n  a: {cpus: 1, trainer: /bin/true}\n");
  const auto problems_with = [&](const std::string& dataset) {
    const auto experiment =
        folder.write("x.yaml", "name: x\nmodel: distilbert\ndataset: " + dataset + "\n");
    fs::remove_all(folder / "out");
    generate({experiment, cluster, folder / "out", {}, {}});
    std::vector<std::string> texts;
    for (const auto& problem : check(folder / "out").problems) {
      texts.push_back(problem.where + ": " + problem.text);
    }
    return texts;
  };
  EXPECT_THAT(problems_with("{name: sst2}"),
              ElementsAre("sst2: the data set needs 'dataset.path'"));
  EXPECT_THAT(
      problems_with("{name: sst2, path: 'share:texts', vocabulary: 'share:texts/vocab.txt'}"),
      ElementsAre());
}

TEST(Check, KnowsTheLimitsOfAPartitionThatSinfoDoesNotPrint) {
  auto partitions = slurm::parse_site(sinfo_text);
  slurm::add_partition_limits(
      "PartitionName=teaching\n   AllowQos=normal,long\n   MaxNodes=2\n"
      "   DefMemPerCPU=2000 MaxMemPerCPU=4000\n"
      "PartitionName=dgx\n   MinNodes=2\n   MaxMemPerNode=256000\n"
      "PartitionName=plain\n   State=DRAIN\n",
      partitions);
  const auto problems_of = [&](const std::string& allocation,
                               const std::string& partition = "teaching") {
    const auto cluster = cluster_from(
        run::yaml::parse_text("scheduler: slurm\nallocations:\n  a: {partition: " + partition +
                                  ", time: 30m, " + allocation + "}",
                              "c.yaml"));
    return check_site(cluster.allocations[0], partitions);
  };
  EXPECT_THAT(problems_of("memory: 250G, nodes: 2", "dgx"), ElementsAre());
  EXPECT_THAT(problems_of("memory: 1G", "dgx"),
              ElementsAre(Problem{"a", "requests 1 node, partition 'dgx' requires 2 (MinNodes)",
                                  "nodes: 2, or another partition"}));
  EXPECT_THAT(problems_of("memory: 251G, nodes: 2", "dgx"),
              ElementsAre(Problem{"a",
                                  "requests 251G per node, partition 'dgx' allows 256000M "
                                  "(MaxMemPerNode)",
                                  "memory: 256000M"}));
  EXPECT_THAT(problems_of("memory: 1G", "plain"),
              ElementsAre(Problem{"a", "partition 'plain' starts no jobs now (State=DRAIN)",
                                  "another partition, or wait until 'scontrol show partition' "
                                  "says State=UP"}));
  EXPECT_THAT(problems_of("cpus: 2, memory: 8000M, qos: long, nodes: 2"), ElementsAre());
  EXPECT_THAT(problems_of("cpus: 2, memory: 16G"),
              ElementsAre(Problem{"a",
                                  "requests 16G for 2 CPUs per node, partition 'teaching' allows "
                                  "4000M per CPU (MaxMemPerCPU) and would add CPUs",
                                  "memory: 8000M"}));
  EXPECT_THAT(problems_of("memory: 1G, nodes: 3"),
              ElementsAre(Problem{"a", "requests 3 nodes, partition 'teaching' allows 2 (MaxNodes)",
                                  "nodes: 2"}));
  EXPECT_THAT(
      problems_of("memory: 1G, qos: lnog"),
      ElementsAre(Problem{"a",
                          "partition 'teaching' does not allow the QOS 'lnog'; did you mean "
                          "'long'?",
                          "qos: normal"}));
}

TEST(Check, OfSeveralPartitionsOneThatFitsIsEnough) {
  EXPECT_THAT(problems("{partition: \"teaching,plain\", cpus: 40}"), ElementsAre());
  EXPECT_THAT(problems("{partition: [teaching, quick], cpus: 2}"), ElementsAre());
  const auto none = problems("{partition: [teaching, plain], cpus: 80}");
  ASSERT_EQ(none.size(), 2U);
  EXPECT_THAT(none[1].text, HasSubstr("the largest of partition 'plain' has 64"));
  const auto mistyped = problems("{partition: [teaching, plian]}");
  ASSERT_EQ(mistyped.size(), 1U);
  EXPECT_EQ(mistyped[0].text, "partition 'plian' is unknown; did you mean 'plain'?");
}

TEST(Check, SaysWhichOfSeveralPartitionsCannotTakeTheJob) {
  const auto remarks = [](const std::string& allocation) {
    const auto cluster = cluster_from(run::yaml::parse_text(
        "scheduler: slurm\ndefaults: {memory: 1G, time: 30m}\nallocations:\n  a: " + allocation,
        "c.yaml"));
    auto partitions = slurm::parse_site(sinfo_text);
    slurm::add_partition_limits("PartitionName=dgx AllowAccounts=research", partitions);
    return partition_remarks(cluster.allocations[0], partitions);
  };
  EXPECT_THAT(
      remarks("{partition: [teaching, quick, dgx], account: csc101}"),
      ElementsAre("allocation 'a': time 30m exceeds the limit of partition 'quick', 2m; the job "
                  "waits for the other partitions",
                  "allocation 'a': partition 'dgx' does not allow the account 'csc101' "
                  "(AllowAccounts=research); the job waits for the other partitions"));
  EXPECT_THAT(remarks("{partition: [teaching, dgx], account: Research}"), ElementsAre());
  EXPECT_THAT(remarks("{partition: quick}"), ElementsAre()) << "that is a problem";
}

TEST(Check, TasksThatShareAGpuNeedNoOther) {
  EXPECT_THAT(problems("{gpus_per_node: 1, gpu: t4, tasks_per_node: 8}"), ElementsAre());
  EXPECT_THAT(problems("{gpus_per_node: 5, gpu: t4, tasks_per_node: 2}"),
              ElementsAre(Problem{"a",
                                  "requests 5 GPUs per node, the largest of partition "
                                  "'teaching' has 4",
                                  "gpus_per_node: 4"}));
}

TEST(Check, NamesPartitionsThatAreClosedToTheUser) {
  auto partitions = slurm::parse_site(sinfo_text);
  slurm::add_partition_limits(
      "PartitionName=teaching\n   RootOnly=YES\nPartitionName=plain\n   ReqResv=YES\n", partitions);
  const auto texts = [&](const std::string& keys) {
    const auto cluster = cluster_from(run::yaml::parse_text(
        "scheduler: slurm\nallocations:\n  a: {memory: 1G, time: 30m, " + keys + "}", "c.yaml"));
    std::vector<std::string> found;
    for (const auto& problem : check_site(cluster.allocations[0], partitions)) {
      found.push_back(problem.text);
    }
    return found;
  };
  EXPECT_THAT(texts("partition: teaching"),
              ElementsAre("partition 'teaching' is for root only (RootOnly=YES)"));
  EXPECT_THAT(texts("partition: plain"),
              ElementsAre("partition 'plain' is for reservations only (ReqResv=YES)"));
  EXPECT_THAT(texts("partition: plain, sbatch: [\"--reservation=course\"]"), ElementsAre());
}

TEST(Detect, OffersNothingThatNoJobCanUse) {
  auto partitions = slurm::parse_site(
      "open*|1-00:00:00|16|64000|(null)|4|1|(null)\nroots|1-00:00:00|16|64000|(null)|4|1|(null)\n"
      "event|1-00:00:00|16|64000|gpu:a40:2(S:0)|2|1|(null)\nempty|infinite|0|0|(null)|0|0|(null)\n"
      "chem|1-00:00:00|16|64000|(null)|4|1|(null)\n");
  slurm::add_partition_limits(
      "PartitionName=roots\n   RootOnly=YES State=UP\nPartitionName=event\n   ReqResv=YES\n"
      "PartitionName=empty\n   Nodes=(null)\nPartitionName=chem\n   AllowGroups=chem\n",
      partitions);
  const auto text = profile_text(partitions, {.account = "a", .user = {.groups = {"users"}}});
  EXPECT_THAT(text, HasSubstr("  # partition roots is for root only (RootOnly=YES)\n"));
  EXPECT_THAT(text, HasSubstr("  # partition event is for reservations only (ReqResv=YES); "));
  EXPECT_THAT(text, HasSubstr("  # partition empty has no nodes\n"));
  EXPECT_THAT(text, HasSubstr("  # partition chem is for the group chem only (AllowGroups)\n"));
  const auto cluster = cluster_from(run::yaml::parse_text(text, "detected.yaml"));
  ASSERT_EQ(cluster.allocations.size(), 1U);
  EXPECT_EQ(cluster.allocations[0].name, "open-cpu2");
}

TEST(Check, KnowsMaxCpusPerNode) {
  auto partitions = slurm::parse_site(sinfo_text);
  slurm::add_partition_limits("PartitionName=teaching\n   MaxCPUsPerNode=4\n", partitions);
  const auto cluster = cluster_from(run::yaml::parse_text(
      "scheduler: slurm\nallocations:\n  a: {cpus: 8, memory: 1G, time: 30m}", "c.yaml"));
  EXPECT_THAT(check_site(cluster.allocations[0], partitions),
              ElementsAre(Problem{"a",
                                  "requests 8 CPUs per node, partition 'teaching' allows 4 "
                                  "(MaxCPUsPerNode)",
                                  "cpus: 4"}));
}

TEST(Detect, StaysWithinTheLimitsOfPartitionsAndExcludesClosedOnes) {
  auto partitions = slurm::parse_site(sinfo_text);
  slurm::add_partition_limits(
      "PartitionName=teaching\n   MaxCPUsPerNode=4\nPartitionName=dgx\n   AllowAccounts=staff\n",
      partitions);
  const auto text = profile_text(partitions, {.account = "csc101"});
  EXPECT_THAT(text, HasSubstr("teaching-t4: {partition: teaching, cpus: 4, gpus: 1, gpu: t4"));
  EXPECT_THAT(text, HasSubstr("# partition dgx is closed to account csc101\n"));
  const auto cluster = cluster_from(run::yaml::parse_text(text, "detected.yaml"));
  for (const auto& allocation : cluster.allocations) {
    EXPECT_NE(allocation.asks.partition, "dgx");
    EXPECT_TRUE(check_site(allocation, partitions).empty()) << allocation.name;
  }
}

TEST(Detect, WhatATerminalWouldExecuteIsEscaped) {
  const std::string account = "a\x1b[31m\"\\b";
  const auto text = profile_text(slurm::parse_site(sinfo_text), {.account = account});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const auto cluster = cluster_from(run::yaml::parse_text(text, "detected.yaml"));
  EXPECT_EQ(cluster.allocations.at(0).asks.account, account);
}

TEST(Detect, WritesAProfileThatItsOwnCheckAccepts) {
  const auto partitions = slurm::parse_site(sinfo_text);
  const auto text = profile_text(partitions, {.account = "csc 101"});
  const auto cluster = cluster_from(run::yaml::parse_text(text, "detected.yaml"));
  std::vector<std::string> names;
  for (const auto& site : cluster.allocations) {
    names.push_back(site.name);
    EXPECT_TRUE(check_site(site, partitions).empty()) << site.name;
    EXPECT_EQ(site.asks.account, "csc 101");
  }
  EXPECT_THAT(names,
              ElementsAre("teaching-cpu2", "teaching-t4", "quick-cpu2", "quick-t4", "dgx-cpu2",
                          "dgx-v100", "plain-cpu2", "untyped-cpu2", "untyped-gpu"));
  EXPECT_THAT(text, HasSubstr("}   # which GPU is it? Add 'gpu: NAME, gpu_typed: false'\n"));
  EXPECT_EQ(find_profile(cluster, "dgx-v100")->asks.gpu, "v100");
  EXPECT_EQ(find_profile(cluster, "dgx-v100")->asks.smt, "on");
}

/// The partitions of three public clusters, as their users recorded them in public repositories,
/// with the keys that matter here: CSC's Puhti and Mahti (2021: several kinds of nodes, gres beside
/// GPUs, a partition for jobs of at least two nodes, one with a limit of memory per CPU), Grex of
/// the University of Manitoba (2025: groups' partitions, lists of QOS, preemption), and Setonix of
/// the Pawsey Centre (2023: whole sockets, default memory per GPU).
TEST(Detect, ProfilesOfThreePublicClustersFitTheirOwnLimits) {
  auto partitions = slurm::parse_site(
      "small*|3-00:00:00|40|190000+|(null)|566|1|type_m,type_l\n"
      "small*|3-00:00:00|40|382000|nvme:3600|88|1|type_io\n"
      "large|3-00:00:00|40|190000+|(null)|566|1|type_m,type_l\n"
      "large|3-00:00:00|40|382000|nvme:3600|88|1|type_io\n"
      "gputest|15:00|40|382000|gpu:v100:4(S:0-1),nvme:3600|2|1|type_gpu\n"
      "gpu|3-00:00:00|40|382000|gpu:v100:4(S:0-1),nvme:3600|78|1|type_gpu\n"
      "gpusmall|1-12:00:00|256|490000|gpu:a100:4(S:0-1),nvme:3500|24|2|a100\n"
      "interactive_mahti|7-00:00:00|256|240000|(null)|8|2|(null)\n"
      "skylake|21-00:00:00|52|186000|(null)|43|1|(null)\n"
      "agro|21-00:00:00|24|248000|gpu:2|2|1|(null)\n"
      "agro-b|7-00:00:00|24|248000|gpu:2|2|1|(null)\n"
      "livi|21-00:00:00|48|1500000|gpu:16|1|1|(null)\n"
      "work|1-00:00:00|256|245000|(null)|8|2|(null)\n"
      "setonix-gpu|1-00:00:00|128|245000|gpu:8|4|2|(null)\n");
  slurm::add_partition_limits(
      "PartitionName=small AllowQos=ALL Hidden=NO MaxNodes=1 MinNodes=0 State=UP "
      "DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n"
      "PartitionName=large AllowQos=ALL Hidden=NO MaxNodes=26 MinNodes=2 State=UP "
      "JobDefaults=(null) MaxMemPerNode=UNLIMITED\n"
      "PartitionName=gputest MaxNodes=2 MinNodes=0 State=UP\n"
      "PartitionName=interactive_mahti MaxNodes=1 MinNodes=0 MaxCPUsPerNode=UNLIMITED State=UP "
      "DefMemPerCPU=1875 MaxMemPerCPU=1875 TRES=cpu=2048,mem=1875G,node=8,billing=2048\n"
      "PartitionName=skylake AllowAccounts=ALL AllowQos=normal,high ExclusiveTopo=NO "
      "MaxCPUsPerSocket=UNLIMITED State=UP DefMemPerCPU=2500 MaxMemPerNode=UNLIMITED "
      "TRESBillingWeights=CPU=1.0,Mem=0\n"
      "PartitionName=agro AllowAccounts=def-a,def-b AllowQos=normal State=UP\n"
      "PartitionName=agro-b AllowAccounts=ALL AllowQos=normal,gpupreempt PreemptMode=CANCEL "
      "GraceTime=100 State=UP\n"
      "PartitionName=livi AllowAccounts=def-b,def-c AllowQos=normal State=DOWN\n"
      "PartitionName=work OverSubscribe=FORCE:1 State=UP DefMemPerCPU=920 MaxMemPerCPU=1840\n"
      "PartitionName=setonix-gpu SelectTypeParameters=CR_SOCKET_MEMORY State=UP "
      "JobDefaults=DefMemPerGPU=29440 MaxMemPerNode=UNLIMITED\n",
      partitions);
  const auto text = profile_text(partitions, {.account = "def-c", .accounts = {"def-c"}});
  EXPECT_THAT(text, HasSubstr("  large-cpu2: {partition: large, cpus: 2, nodes: 2, memory: "));
  EXPECT_THAT(text, HasSubstr("  interactive_mahti-cpu2: {partition: interactive_mahti, cpus: 2, "
                              "smt: on, memory: 1G, "));
  EXPECT_THAT(text, HasSubstr("  # partition agro is closed to account def-c\n"));
  EXPECT_THAT(text, HasSubstr("  # partition livi starts no jobs now (State=DOWN)\n"));
  EXPECT_THAT(text, HasSubstr("  gputest-v100: {partition: gputest, cpus: 10, gpus: 1, gpu: v100, "
                              "memory: 93G, time: 15m}\n"));
  const auto cluster = cluster_from(run::yaml::parse_text(text, "detected.yaml"));
  EXPECT_EQ(cluster.allocations.size(), 15U) << text;
  for (const auto& site : cluster.allocations) {
    EXPECT_THAT(check_site(site, partitions), testing::IsEmpty()) << site.name;
  }
}

/// As large sites have them: memory by CPU only, a QOS for each partition, MIG slices, partitions
/// that are not shown. Written by hand after the manuals of scontrol and sinfo.
TEST(Detect, AProfileOfALargeSiteFitsItsOwnLimits) {
  auto partitions = slurm::parse_site(
      "cpu*|2-00:00:00|128|515000|(null)|900|2|rome,ib\n"
      "gpu|1-00:00:00|64|1031000|gpu:a100:4(S:0-1)|100|2|a100_80,nvlink\n"
      "mig|8:00:00|64|515000|gpu:nvidia_a100_1g.5gb:28(S:0,2)|4|2|mig\n"
      "old|1-00:00:00|16|64000+|gpu:2|30|1|(null)\n"
      "secret|infinite|8|16000|(null)|1|1|(null)\n");
  slurm::add_partition_limits(
      "PartitionName=cpu\n   AllowQos=ALL\n   DefMemPerCPU=1800 MaxMemPerCPU=3800\n"
      "PartitionName=gpu\n   AllowQos=gpu_normal,gpu_long\n   MaxMemPerCPU=15000\n"
      "PartitionName=mig\n   AllowQos=mig\n   MaxCPUsPerNode=56\n   MaxMemPerCPU=300\n"
      "PartitionName=secret\n   Hidden=YES\n",
      partitions);
  const auto text = profile_text(partitions, {.account = "p1"});
  EXPECT_THAT(text, HasSubstr("  cpu-cpu2: {partition: cpu, cpus: 2, smt: on, memory: 7G, time: "));
  EXPECT_THAT(text, HasSubstr("qos: gpu_normal}   # QOS: gpu_normal, gpu_long\n"));
  EXPECT_THAT(text, HasSubstr("  mig-nvidia_a100_1g.5gb: {partition: mig, cpus: 2, smt: on, gpus: "
                              "1, gpu: nvidia_a100_1g.5gb, memory: 600M, time: 8h, qos: mig}\n"));
  EXPECT_THAT(text, HasSubstr("  # partition secret is hidden; "));
  const auto cluster = cluster_from(run::yaml::parse_text(text, "detected.yaml"));
  EXPECT_EQ(cluster.allocations.size(), 7U);
  for (const auto& site : cluster.allocations) {
    EXPECT_TRUE(check_site(site, partitions).empty()) << site.name;
  }
}

TEST(Detect, CommentsWhatIsNotKnownAndWritesWhatIs) {
  const auto partitions = slurm::parse_site(sinfo_text);
  const auto open = profile_text(partitions, {});
  EXPECT_THAT(open, HasSubstr("\n  # account: NAME "));
  EXPECT_THAT(open, HasSubstr("\n  # container: {runtime: apptainer, image: /path/epochcast.sif"));
  EXPECT_THAT(open, HasSubstr("# on this machine: no container runtime\n"));
  EXPECT_THAT(open, HasSubstr("\n  # trainer: "));
  const auto text = profile_text(partitions, {.account = "a",
                                              .runtimes = {"charliecloud", "podman"},
                                              .image = "/images/my e",
                                              .trainer = "/opt/e/epochcast-train"});
  const auto site = cluster_from(run::yaml::parse_text(text, "/p/detected.yaml")).allocations[0];
  EXPECT_EQ(site.container.runtime, "charliecloud");
  EXPECT_EQ(site.container.image, "/images/my e");
  EXPECT_EQ(site.launch.trainer, "/opt/e/epochcast-train");
  // The comments are keys that the reader knows.
  auto uncommented = open;
  for (const auto* key : {"account: NAME", "container: {", "trainer: /"}) {
    const auto at = uncommented.find(std::string("# ") + key);
    ASSERT_NE(at, std::string::npos);
    uncommented.replace(at, 2, "");
  }
  EXPECT_EQ(cluster_from(run::yaml::parse_text(uncommented, "/p/d.yaml"))
                .allocations[0]
                .container.binds.size(),
            1U);
}

}  // namespace
}  // namespace epochcast::jobs
