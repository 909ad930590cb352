// Simulated attempts: what they say of their nodes.
#include "src/forecast/nodes/nodes.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "src/base/core/random.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::nodes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

NodeAttempt timed(const std::string& node, double epoch_s, const std::string& work = "w") {
  return {.nodes = {node},
          .at = "2026-11-21T09:00:00+00:00",
          .outcome = run::Outcome::complete,
          .work = work,
          .epoch_s = epoch_s};
}

NodeAttempt failed(std::vector<std::string> nodes, run::FailureCause cause,
                   const std::string& reason = "exit 1") {
  return {.nodes = std::move(nodes),
          .at = "2026-11-22T09:00:00+00:00",
          .outcome = run::Outcome::failed,
          .cause = cause,
          .reason = reason,
          .work = "w"};
}

const NodeReport& of(const std::vector<NodeReport>& reports, const std::string& node) {
  return *std::ranges::find(reports, node, &NodeReport::node);
}

TEST(Nodes, ComparesOnlyTheSameWorkWithIntervalsFromItsRepeats) {
  std::vector<NodeAttempt> attempts;
  for (const double error : {-0.01, 0.0, 0.01}) {
    attempts.push_back(timed("t4-1", 10 * (1 + error)));
    attempts.push_back(timed("t4-2", 10 * (1 + error)));
    attempts.push_back(timed("t4-10", 12 * (1 + error)));
    attempts.push_back(timed("t4-10", 50 * (1 + error), "other"));  // nobody else did it
  }
  const auto reports = nodes_of(attempts);
  std::vector<std::string> names;
  for (const auto& report : reports) {
    names.push_back(report.node);
  }
  EXPECT_THAT(names, ElementsAre("t4-1", "t4-2", "t4-10"));
  const auto& slow = of(reports, "t4-10");
  EXPECT_NEAR(*slow.ratio, 1.2, 0.001);
  EXPECT_EQ(slow.attempts, 6U);
  EXPECT_EQ(slow.compared, 3U);
  EXPECT_EQ(slow.others, 6U);
  // s = 0.01 (in logarithms), 8 degrees of freedom: t = 2.306; sqrt(1/3 + 1/6) = 0.707
  EXPECT_NEAR(std::log(*slow.high / *slow.ratio), 2.306 * 0.01 * 0.707, 2e-5);
  EXPECT_THAT(why_exclude(slow, 2),
              StartsWith("t4-10: the same work takes 20 % longer than on other nodes (18 to 22 %"));
  EXPECT_EQ(why_exclude(of(reports, "t4-1"), 2), "");
}

// The share of simulated campaigns in which the interval holds the true ratio, and in which a node
// that is as fast as the others would be left out.
TEST(Nodes, TheIntervalHoldsWhatItSays) {
  Random random(7);
  constexpr int campaigns = 2000;
  int held = 0;
  int left_out = 0;
  for (int campaign = 0; campaign < campaigns; ++campaign) {
    std::vector<NodeAttempt> attempts;
    for (const auto* node : {"a", "b", "c", "d"}) {
      for (const auto* work : {"w", "v"}) {
        for (int repeat = 0; repeat < 3; ++repeat) {
          const double normal = std::sqrt(2 * random.exponential()) *
                                std::cos(2 * std::acos(-1.0) * random.uniform());
          attempts.push_back(timed(node, (*work == 'w' ? 10 : 70) * std::exp(0.03 * normal), work));
        }
      }
    }
    const auto reports = nodes_of(attempts);
    held += *reports[0].low <= 1 && *reports[0].high >= 1 ? 1 : 0;
    left_out += why_exclude(reports[0], 2).empty() ? 0 : 1;
  }
  EXPECT_NEAR(static_cast<double>(held) / campaigns, 0.95, 0.015);
  EXPECT_EQ(left_out, 0);
}

TEST(Nodes, WithoutRepeatsThereIsNoIntervalAndNoVerdict) {
  const auto reports = nodes_of({timed("a", 10), timed("b", 20)});
  EXPECT_NEAR(*of(reports, "b").ratio, 2, 1e-9);
  EXPECT_FALSE(of(reports, "b").low);
  EXPECT_EQ(why_exclude(of(reports, "b"), 2), "");
}

TEST(Nodes, AFirstEpochIsComparedWithFirstEpochsOnly) {
  auto first = timed("a", 20);
  first.is_first_epoch = true;
  EXPECT_FALSE(of(nodes_of({first, timed("b", 10)}), "a").ratio);
}

TEST(Nodes, CountsFailuresThatMayBeTheNodesSinceTheLastAttemptThatDidNotFail) {
  using enum run::FailureCause;
  const auto node = [](std::vector<NodeAttempt> attempts) {
    return of(nodes_of(std::move(attempts)), "a");
  };
  EXPECT_EQ(node({failed({"a"}, node_failure), failed({"a"}, node_failure)}).in_a_row, 2);
  EXPECT_EQ(node({failed({"a"}, other), failed({"a"}, other)}).in_a_row, 0)
      << "a program that fails everywhere";
  EXPECT_EQ(node({timed("b", 10), failed({"a"}, other), failed({"a"}, other)}).in_a_row, 2)
      << "the work was completed on b";
  EXPECT_EQ(
      node({timed("b", 10), failed({"a"}, time_limit), failed({"a"}, out_of_memory)}).in_a_row, 0);
  auto later = timed("a", 10);
  later.at = "2026-11-23T09:00:00+00:00";
  EXPECT_EQ(node({failed({"a"}, node_failure), later}).in_a_row, 0);
  const auto both = node({timed("b", 10), failed({"a"}, node_failure), failed({"a"}, time_limit)});
  EXPECT_EQ(both.in_a_row, 1) << "a time limit does not end the row";
  EXPECT_THAT(both.failures,
              ElementsAre(testing::Pair(time_limit, 1U), testing::Pair(node_failure, 1U)));
  EXPECT_EQ(why_exclude(both, 2), "");
  EXPECT_THAT(why_exclude(both, 1),
              HasSubstr("a: its last 1 attempt failed, the latest 2026-11-22"));
}

TEST(Nodes, AFailureOnSeveralNodesCountsForTheOneThatItsReasonNames) {
  const auto cause = run::FailureCause::node_failure;
  auto reports = nodes_of({failed({"n1", "n10"}, cause, "Node failure on n10")});
  EXPECT_EQ(of(reports, "n1").in_a_row, 0);
  EXPECT_EQ(of(reports, "n10").in_a_row, 1);
  reports = nodes_of({failed({"n1", "n10"}, cause, "NODE_FAIL")});
  EXPECT_EQ(of(reports, "n1").in_a_row, 1);
  EXPECT_EQ(of(reports, "n10").in_a_row, 1);
}

TEST(Nodes, ReadsRecordsByTheSchedulersNamesOfTheNodes) {
  record::Record made;
  made.header.source = "simulated";
  made.header.created_at = "2026-11-21T09:00:00+00:00";
  record::set_outcome(made.header, run::Outcome::complete);
  made.machines.push_back({.rank = 0, .host = "t4-01.site"});
  EXPECT_THAT(attempt_of(made).nodes, ElementsAre("t4-01.site"));
  EXPECT_EQ(attempt_of(made).not_compared, "no epoch has ended");
  made.allocation.push_back({"node_list", "", "t4-[01-02]", ""});
  for (const double wall_s : {30.0, 10.0, 11.0, 12.0}) {
    made.epochs.push_back({.epoch = std::int64_t(made.epochs.size()), .wall_s = wall_s});
  }
  EXPECT_THAT(attempt_of(made).nodes, ElementsAre("t4-01", "t4-02"));
  EXPECT_EQ(attempt_of(made).epoch_s, 11.5) << "the median of the later half";
  made.header.tainted = "another partition";
  EXPECT_EQ(attempt_of(made).not_compared, "tainted: another partition");
  EXPECT_FALSE(attempt_of(made).epoch_s);
}

}  // namespace
}  // namespace epochcast::nodes
