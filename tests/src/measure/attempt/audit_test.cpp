#include "src/measure/attempt/audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace epochcast::attempt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Two tasks of 8 CPUs and a T4 each, given as asked on a machine that has all that.
AuditFacts as_asked() {
  AuditFacts facts;
  facts.asked = run::Allocation{.partition = "teaching",
                                .tasks_per_node = 2,
                                .cpus = 8,
                                .gpus = 1,
                                .gpu = "t4",
                                .smt = "on",
                                .memory = {32LL << 30},
                                .time = {7200},
                                .account = "csc101"};
  facts.job = slurm::JobInfo{.partition = "teaching",
                             .account = "csc101",
                             .qos = "normal",
                             .node_list = "t4-01",
                             .submitted_at = "2026-11-21T09:00:00+0100",
                             .started_at = "2026-11-21T09:00:10+0100",
                             .nodes = 1,
                             .tasks = 2,
                             .cpus = 16,
                             .cpus_per_task = 8,
                             .gpus = 2,
                             .gpu = "t4",
                             .memory_bytes = 32LL << 30,
                             .time_limit_s = 7200};
  facts.machine.cpus_allowed_count = 16;
  facts.machine.memory_bytes = 192LL << 30;
  facts.machine.threads_per_core = 2;
  facts.gpus_present = 2;
  return facts;
}

const record::AllocationRow& row_of(const Audit& result, std::string_view name) {
  for (const auto& row : result.rows) {
    if (row.name == name) {
      return row;
    }
  }
  throw std::runtime_error("no row " + std::string(name));
}

TEST(Audit, AnyOfSeveralPartitionsIsAsAsked) {
  auto facts = as_asked();
  facts.asked->partition = "dgx,teaching";
  EXPECT_THAT(audit(facts).tainted, IsEmpty());
  facts.asked->partition = "dgx,quick";
  EXPECT_EQ(audit(facts).tainted, "partition: asked dgx,quick, got teaching");
}

TEST(Audit, TasksMayShareTheGpusOfTheirNode) {
  auto facts = as_asked();
  facts.asked->gpus = 0;
  facts.asked->gpus_per_node = 1;
  facts.asked->gres = "nvme:200";
  facts.job->gpus = 1;
  facts.gpus_present = 1;
  EXPECT_THAT(audit(facts).tainted, IsEmpty());
  EXPECT_EQ(row_of(audit(facts), "gres").asked.view(), "nvme:200") << "Slurm does not report it";
  facts.job->gpus = 2;
  EXPECT_EQ(audit(facts).tainted, "gpus: asked 1, got 2");
}

TEST(Audit, OfWhatWasRequestedFindsNothing) {
  const auto result = audit(as_asked());
  EXPECT_THAT(result.tainted, IsEmpty());
  for (const auto& row : result.rows) {
    EXPECT_EQ(row.difference.view(), "") << row.name.view();
  }
  EXPECT_EQ(row_of(result, "memory").asked.view(), "32G");
  EXPECT_EQ(row_of(result, "time").got.view(), "2h");
  EXPECT_EQ(row_of(result, "node_list").got.view(), "t4-01");
  EXPECT_EQ(row_of(result, "started_at").got.view(), "2026-11-21T09:00:10+0100");
}

struct DifferenceCase {
  const char* row;
  std::function<void(AuditFacts&)> change;
  const char* difference;
  const char* tainted;
};
void PrintTo(const DifferenceCase& c, std::ostream* out) {
  *out << c.row << ' ' << c.tainted;
}

class AuditDifferences : public testing::TestWithParam<DifferenceCase> {};
TEST_P(AuditDifferences, AreOfTheSchedulerOrOfTheHardware) {
  auto facts = as_asked();
  GetParam().change(facts);
  const auto result = audit(facts);
  EXPECT_EQ(row_of(result, GetParam().row).difference.view(), GetParam().difference);
  EXPECT_EQ(result.tainted, GetParam().tainted);
}
INSTANTIATE_TEST_SUITE_P(
    Table, AuditDifferences,
    testing::Values(
        DifferenceCase{"partition", [](auto& f) { f.job->partition = "dgx"; }, "scheduler",
                       "partition: asked teaching, got dgx"},
        DifferenceCase{"nodes", [](auto& f) { f.job->nodes = 2; }, "scheduler",
                       "nodes: asked 1, got 2"},
        DifferenceCase{"tasks", [](auto& f) { f.job->tasks = 1; }, "scheduler",
                       "tasks: asked 2, got 1"},
        DifferenceCase{"cpus", [](auto& f) { f.job->cpus_per_task = 4; }, "scheduler",
                       "cpus: asked 8, got 4"},
        DifferenceCase{"cpus_of_job", [](auto& f) { f.job->cpus = 8; }, "scheduler",
                       "cpus_of_job: asked 16, got 8"},
        DifferenceCase{"cpus_of_job", [](auto& f) { f.job->cpus = 18; }, "", ""},
        DifferenceCase{"gpus", [](auto& f) { f.job->gpus = 1; }, "scheduler",
                       "gpus: asked 2, got 1"},
        DifferenceCase{"gpus", [](auto& f) { f.job->gpus = 4; }, "scheduler",
                       "gpus: asked 2, got 4"},
        DifferenceCase{"gpus",
                       [](auto& f) {
                         f.job->gpus = 4;
                         f.asked->exclusive = f.job->exclusive = true;
                       },
                       "", ""},
        DifferenceCase{"gpu", [](auto& f) { f.job->gpu = "v100"; }, "scheduler",
                       "gpu: asked t4, got v100"},
        DifferenceCase{"gpu", [](auto& f) { f.job->gpu = ""; }, "", ""},
        DifferenceCase{"memory", [](auto& f) { f.job->memory_bytes = 16LL << 30; }, "scheduler",
                       "memory: asked 32G, got 16G"},
        DifferenceCase{"memory", [](auto& f) { f.job->memory_bytes = 64LL << 30; }, "", ""},
        DifferenceCase{"time", [](auto& f) { f.job->time_limit_s = 3600; }, "", ""},
        DifferenceCase{"time", [](auto& f) { f.job->time_limit_s = INFINITY; }, "", ""},
        DifferenceCase{"account", [](auto& f) { f.job->account = "other"; }, "scheduler",
                       "account: asked csc101, got other"},
        DifferenceCase{"qos", [](auto& f) { f.job->qos = "scavenge"; }, "", ""},
        DifferenceCase{"exclusive", [](auto& f) { f.asked->exclusive = true; }, "scheduler",
                       "exclusive: asked true, got false"},
        DifferenceCase{"cpus_allowed", [](auto& f) { f.machine.cpus_allowed_count = 2; },
                       "hardware", ""},
        DifferenceCase{"node_memory", [](auto& f) { f.machine.memory_bytes = 24LL << 30; },
                       "hardware", ""},
        DifferenceCase{"gpus_present", [](auto& f) { f.gpus_present = 0; }, "hardware", ""},
        DifferenceCase{"node_smt", [](auto& f) { f.machine.threads_per_core = 1; }, "hardware",
                       ""}));

TEST(Audit, OfARequeuedJobTaintsIt) {
  auto facts = as_asked();
  facts.restart = 1;
  EXPECT_EQ(audit(facts).tainted, "requeued: another node and time");
}

TEST(Audit, OfAJobOfSeveralPointsRecordsThatAndASharedGpuTaintsIt) {
  auto facts = as_asked();
  facts.job->points_at_once = 2;
  EXPECT_THAT(audit(facts).tainted, IsEmpty());
  EXPECT_EQ(row_of(audit(facts), "points_at_once").got.view(), "2");
  facts.job->shares_gpu = true;
  EXPECT_EQ(audit(facts).tainted, "gpu: shared by 2 runs at a time");
}

TEST(Audit, JoinsSeveralReasons) {
  auto facts = as_asked();
  facts.job->partition = "dgx";
  facts.job->nodes = 2;
  EXPECT_EQ(audit(facts).tainted, "partition: asked teaching, got dgx; nodes: asked 1, got 2");
}

TEST(Audit, WithoutAnAnswerOfSlurmKnowsOnlyTheMachine) {
  auto facts = as_asked();
  facts.job.reset();
  const auto result = audit(facts);
  EXPECT_THAT(result.tainted, IsEmpty());
  EXPECT_EQ(row_of(result, "partition").asked.view(), "teaching");
  EXPECT_EQ(row_of(result, "partition").got.view(), "");
  EXPECT_EQ(row_of(result, "cpus_allowed").got.view(), "16");
}

TEST(Audit, OfARunByHandHasWhatWasGrantedAndNothingToCompare) {
  EXPECT_THAT(audit({}).rows, IsEmpty());
  auto facts = as_asked();
  facts.asked.reset();
  const auto result = audit(facts);
  EXPECT_EQ(result.rows.size(), 8u);
  for (const auto* name : {"nodes", "cpus_of_job", "gpus", "memory", "time"}) {
    EXPECT_EQ(row_of(result, name).asked.view(), "") << name;
    EXPECT_NE(row_of(result, name).got.view(), "") << name;
  }
}

}  // namespace
}  // namespace epochcast::attempt
