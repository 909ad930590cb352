#include "jobs/cluster/retry.hpp"

#include <gmock/gmock.h>

#include "jobs/cluster/cluster.hpp"
#include "jobs/script/script.hpp"

namespace epochcast::jobs {
namespace {

using run::FailureCause;

TEST(Retry, AnAllocationReplacesReasonsOfTheDefaultsAndAnExperimentThoseOfBoth) {
  auto cluster = cluster_from(run::yaml::parse_text(
      "scheduler: slurm\n"
      "defaults: {memory: 4G, time: 4h, retry: {timeout: resume, preempted: requeue, attempts: "
      "5}}\n"
      "allocations:\n"
      "  a: {retry: {out_of_memory: {memory: 1.5x, most: 64G}, preempted: none}}\n"
      "  b: {retry: none}\n",
      "site.yaml"));
  auto& a = cluster.allocations[0];
  EXPECT_EQ(a.retry.rule_of(FailureCause::before_limit).action, "resume");
  EXPECT_EQ(a.retry.rule_of(FailureCause::preempted).action, "none");
  EXPECT_EQ(a.retry.rule_of(FailureCause::out_of_memory),
            (RetryRule{.action = "resume", .memory = 1.5, .most = {64LL << 30}}));
  EXPECT_EQ(a.retry.rule_of(FailureCause::cancelled), RetryRule{});
  EXPECT_EQ(a.retry.attempts, 5);
  EXPECT_FALSE(cluster.allocations[1].retry.submits());

  apply({.retry = run::yaml::parse_text("{timeout: none, failed: {exclude_node: true}}", "x.yaml")},
        cluster);
  const auto both = retry_of(run::Task::train, a, ScriptContext{});
  EXPECT_EQ(both.rule_of(FailureCause::time_limit), RetryRule{});
  EXPECT_EQ(both.rule_of(FailureCause::other),
            (RetryRule{.action = "restart", .exclude_node = true}));
  EXPECT_EQ(both.rule_of(FailureCause::out_of_memory).memory, 1.5);
}

}  // namespace
}  // namespace epochcast::jobs
