#include "src/forecast/scaling/exchange_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

/// A ring of `ranks` over links of so much latency and bandwidth.
double ring_s(double ranks, double bytes, double latency_s, double bytes_per_s) {
  return 2 * (ranks - 1) * (latency_s + bytes / ranks / bytes_per_s);
}

std::vector<ExchangeProbe> probes_of(double ranks, double nodes, double latency_s,
                                     double bytes_per_s) {
  std::vector<ExchangeProbe> probes;
  for (const double bytes : {8.0, 1e6, 2.5e7}) {
    probes.push_back({ranks, nodes, bytes, ring_s(ranks, bytes, latency_s, bytes_per_s)});
  }
  return probes;
}

TEST(ExchangeCost, CarriesARingToOtherNumbersOfRanks) {
  const auto probes = probes_of(2, 2, 1e-5, 1e9);
  for (const double ranks : {2.0, 4.0, 8.0}) {
    EXPECT_NEAR(all_reduce_s(probes, ranks, 2, 6.8e7).value(), ring_s(ranks, 6.8e7, 1e-5, 1e9),
                1e-9);
  }
}

TEST(ExchangeCost, TakesTheProbesOnAsManyNodesNearestInRanks) {
  auto probes = probes_of(2, 1, 1e-6, 1e10);
  for (const auto& more : {probes_of(2, 2, 1e-4, 1e8), probes_of(8, 2, 1e-5, 1e9)}) {
    probes.insert(probes.end(), more.begin(), more.end());
  }
  EXPECT_NEAR(all_reduce_s(probes, 8, 2, 1e7).value(), ring_s(8, 1e7, 1e-5, 1e9), 1e-9);
  EXPECT_NEAR(all_reduce_s(probes, 2, 1, 1e7).value(), ring_s(2, 1e7, 1e-6, 1e10), 1e-9);
  EXPECT_FALSE(all_reduce_s(probes, 8, 3, 1e7).has_value());
}

TEST(ExchangeCost, NeedsTwoSizes) {
  EXPECT_FALSE(all_reduce_s({}, 2, 1, 1e6).has_value());
  EXPECT_FALSE(all_reduce_s({{2, 1, 8, 1e-5}, {2, 1, 8, 2e-5}}, 2, 1, 1e6).has_value());
}

/// Four ranks on a node, a step of 60 ms of its own, and a network between nodes.
struct Case {
  double bytes_per_s;           ///< Between nodes; 1e10 within one.
  double gradient_sync_wait_s;  ///< Waited for on one node.
};

StepOnNodes two_nodes(const Case& one) {
  auto probes = probes_of(4, 1, 1e-6, 1e10);
  const auto between = probes_of(2, 2, 1e-6, one.bytes_per_s);
  probes.insert(probes.end(), between.begin(), between.end());
  const ExchangedStep step{.ranks = 4,
                           .nodes = 1,
                           .own_s = 0.06,
                           .gradient_sync_wait_s = one.gradient_sync_wait_s,
                           .gradient_bytes = 6.8e7};
  return step_on_nodes(step, probes, 8, 2).value();
}

TEST(ExchangeCost, HidesNoMoreThanTheBackwardPassIsLong) {
  const double slow_s = ring_s(8, 6.8e7, 1e-6, 1e9);  // 119 ms, of which 40 can hide
  EXPECT_NEAR(two_nodes({.bytes_per_s = 1e9, .gradient_sync_wait_s = 0}).step_s,
              0.06 + slow_s - 0.04, 1e-6);
}

TEST(ExchangeCost, KeepsTheShareThatWasWaitedFor) {
  const double here_s = ring_s(4, 6.8e7, 1e-6, 1e10);
  const double there_s = ring_s(8, 6.8e7, 1e-6, 5e9);
  EXPECT_NEAR(two_nodes({.bytes_per_s = 5e9, .gradient_sync_wait_s = here_s / 2}).step_s,
              0.06 + there_s / 2, 1e-6);
}

TEST(ExchangeCost, IsMoreCertainOfAFastNetworkThanOfASlowOne) {
  EXPECT_LT(two_nodes({.bytes_per_s = 1e12, .gradient_sync_wait_s = 0}).deviation,
            two_nodes({.bytes_per_s = 1e9, .gradient_sync_wait_s = 0}).deviation);
}

}  // namespace
}  // namespace epochcast::forecast
