#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/cluster/cluster.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using testing::HasSubstr;

constexpr const char* priced_profile =
    "scheduler: slurm\n"
    "defaults: {memory: 1G, time: 1h, prices: {currency: EUR, cpu_hour: 0.01}}\n"
    "allocations:\n"
    "  cpu2: {cpus: 2}\n"
    "  t4: {gpus: 1, gpu: t4, prices: {gpu_hour: 0.5}}\n"
    "  free: {cpus: 1, prices: none}\n";

Cluster priced(const std::string& more = "") {
  return cluster_from(run::yaml::parse_text(priced_profile + more, "/sites/c.yaml"));
}

TEST(PricesOfACluster, AreReadAndAnAllocationReplacesSingleOnes) {
  const auto cluster = priced();
  EXPECT_EQ(profile_of(cluster, "cpu2").prices, (run::Prices{"EUR", 0.01, {}, {}}));
  EXPECT_EQ(profile_of(cluster, "t4").prices, (run::Prices{"EUR", 0.01, 0.5, {}}));
  EXPECT_EQ(profile_of(cluster, "free").prices, run::Prices{});
}

TEST(PricesOfACluster, AreThoseThatTheAnalyzerReads) {
  const auto text = std::string(priced_profile) +
                    "overrides: {prices: {cpu_hour: 0.02}, t4: {prices: {node_hour: 3}}, "
                    "free: {prices: none}}\n";
  const auto document = run::yaml::parse_text(text, "/sites/c.yaml");
  const auto cluster = cluster_from(document);
  for (const auto& [name, prices] : run::prices_of_profile(document)) {
    EXPECT_EQ(profile_of(cluster, name).prices, prices) << name;
  }
  EXPECT_EQ(profile_of(cluster, "t4").prices, (run::Prices{"EUR", 0.02, 0.5, 3}));
}

TEST(PricesOfACluster, AreRefusedWhereTheyMakeNoSense) {
  const auto error = [](const std::string& line) { return error_of([&] { priced(line); }); };
  EXPECT_THAT(error("  x: {prices: {cpu_hour: much}}\n"),
              HasSubstr("/sites/c.yaml:7: prices.cpu_hour: found 'much', expected a number"));
  EXPECT_THAT(error("  x: {prices: {currency: ''}}\n"),
              HasSubstr("x: prices: currency is missing"));
  EXPECT_THAT(error("  prices: {cpus: 1}\n"),
              HasSubstr("'prices' is a key and cannot be the name"));
}

TEST(PricesOfACluster, AreKeysOfTheReference) {
  std::vector<std::string> names;
  for (const auto& row : allocation_keys()) {
    names.push_back(row.name);
  }
  for (const std::string name :
       {"prices", "prices.currency", "prices.cpu_hour", "prices.gpu_hour", "prices.node_hour"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
}

}  // namespace
}  // namespace epochcast::jobs
