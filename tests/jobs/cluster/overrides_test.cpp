#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/campaign/generate.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/cluster/cluster.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;

/// A home folder, and a profile with the allocations a (1 CPU) and b (2 CPUs).
struct Site {
  TempFolder folder;
  test::WithVariable home{"HOME", folder / ""};
  std::string profile = folder.write("site.yaml", R"(# Ours.
scheduler: slurm
defaults: {account: course, memory: 1G, time: 1h, sbatch: [--nice]}
allocations:
  a: {cpus: 1}
  b: {cpus: 2, time: 2h})");

  void own(const std::string& text) const { folder.write(".config/epochcast/sites.yaml", text); }
};

TEST(Overrides, OfTheCommandLineReplaceThoseOfTheUserWhichReplaceTheProfiles) {
  const Site site;
  site.own("other: {account: nobody}\nsite: {account: mine, qos: long, b: {time: 3h, cpus: 4}}\n");
  const auto cluster = read_cluster(site.profile, {{"account", "today"},
                                                   {"b.cpus", "8"},
                                                   {"a.memory", "2G"},
                                                   {"sbatch", R"([--x, '--comment="a \ b"'])"}});
  const auto& a = profile_of(cluster, "a");
  const auto& b = profile_of(cluster, "b");
  EXPECT_EQ(a.asks.account, "today");
  EXPECT_EQ(b.asks.account, "today");
  EXPECT_EQ(a.asks.qos, "long");
  EXPECT_EQ(a.asks.memory.value, 2LL << 30);
  EXPECT_EQ(b.asks.memory.value, 1LL << 30);
  EXPECT_EQ(a.asks.cpus, 1);
  EXPECT_EQ(b.asks.cpus, 8);
  EXPECT_EQ(a.asks.time.value, 3600);
  EXPECT_EQ(b.asks.time.value, 3 * 3600);
  EXPECT_EQ(b.sbatch, (std::vector<std::string>{"--x", R"(--comment="a \ b")"}));
}

TEST(Overrides, AreInTheProfileOfTheOutputFolder) {
  const Site site;
  site.own("site: {account: mine}\n");
  const auto out = site.folder / "out";
  generate({.experiment = site.folder.write("x.yaml", "name: x\n"),
            .cluster = site.profile,
            .out = out,
            .sets = {},
            .filters = {},
            .site = {{"b.sbatch", R"(["--comment=a \" b"])"}}});
  site.own("site: {account: another}\n");
  const auto& cluster = read_origin(OutFolder(out)).cluster;
  EXPECT_EQ(profile_of(cluster, "a").asks.account, "mine");
  EXPECT_EQ(profile_of(cluster, "a").sbatch, std::vector<std::string>{"--nice"});
  EXPECT_EQ(profile_of(cluster, "b").sbatch, std::vector<std::string>{R"(--comment=a " b)"});
  EXPECT_THAT(read_file(OutFolder(out).cluster()), testing::StartsWith("# Ours.\n"));
}

TEST(Overrides, BadOnesGetOneLine) {
  const Site site;
  const auto refusal = [&](const SiteSettings& settings) {
    return error_of([&] { read_cluster(site.profile, settings); });
  };
  EXPECT_EQ(refusal({{"acount", "x"}}),
            "--site acount:1: unknown key 'acount'; did you mean 'account'?");
  EXPECT_EQ(refusal({{"bb.cpus", "1"}}),
            "--site bb.cpus:1: unknown allocation 'bb'; did you mean 'b'?");
  EXPECT_THAT(refusal({{"time", "90"}}), testing::StartsWith("--site time:1: time: found '90'"));
  site.own("site: 3\n");
  EXPECT_EQ(refusal({}), (site.folder / ".config/epochcast/sites.yaml").string() +
                             ":1: found a single value, expected a group of keys");
  site.own("site: {qos: long}\n");
  const auto twice =
      site.folder.write("site.yaml", read_file(site.profile) + "\noverrides: {qos: short}\n");
  EXPECT_THAT(error_of([&] { read_cluster(twice); }),
              testing::HasSubstr("this profile has 'overrides' already"));
}

}  // namespace
}  // namespace epochcast::jobs
