// The reference names every key that the readers know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/cluster/cluster.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/experiment/experiment.hpp"
#include "src/base/core/text.hpp"
#include "tests/files.hpp"

namespace epochcast::jobs {
namespace {

/// The keys of "unknown key 'x'; known: a, b, c".
std::vector<std::string> known_keys_in(const std::string& message) {
  constexpr std::string_view mark = "; known: ";
  const auto start = message.find(mark);
  EXPECT_NE(start, std::string::npos) << message;
  std::vector<std::string> keys;
  for (const auto& key : split(message.substr(start + mark.size()), ',')) {
    keys.emplace_back(trim(key));
  }
  return keys;
}

constexpr auto unknown = "qqqqqqqqqqqqqqqqqqqqqq: 1";

TEST(Reference, NamesEveryKeyOfAnExperiment) {
  const auto page = experiment_page();
  const auto document = run::yaml::parse_text(std::string("name: x\n") + unknown, "x.yaml");
  const auto keys = known_keys_in(error_of([&] { (void)experiment_from(document); }));
  EXPECT_THAT(keys, testing::IsSupersetOf({"sweep", "batch"}));
  for (const auto& key : keys) {
    EXPECT_THAT(page, testing::HasSubstr("* `" + key + "` ("));
  }
}

TEST(Reference, NamesEveryKeyOfAClusterProfile) {
  const auto page = cluster_page();
  const auto document = run::yaml::parse_text(
      std::string("scheduler: local\nallocations: {a: {") + unknown + "}}", "x.yaml");
  const auto keys = known_keys_in(error_of([&] { (void)cluster_from(document); }));
  EXPECT_THAT(keys, testing::IsSupersetOf({"cpus", "sbatch", "tasks"}));
  for (const auto& key : keys) {
    EXPECT_THAT(page, testing::HasSubstr("* `" + key + "` ("));
  }
}

TEST(Clusters, AnAllocationNameThatARecordWouldCutIsRefused) {
  const auto profile = [](const std::string& name) {
    return run::yaml::parse_text("scheduler: local\nallocations: {\"" + name + "\": {cpus: 1}}",
                                 "x.yaml");
  };
  EXPECT_EQ(cluster_from(profile(std::string(63, 'a'))).allocations.size(), 1U);
  EXPECT_THAT(error_of([&] { (void)cluster_from(profile(std::string(64, 'a'))); }),
              testing::HasSubstr("of 64 bytes, expected at most 63"));
  EXPECT_THAT(error_of([&] { (void)cluster_from(profile("a\\nb")); }),
              testing::HasSubstr("expected one line of text"));
}

}  // namespace
}  // namespace epochcast::jobs
