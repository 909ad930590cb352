// Every experiment and every profile that is shipped loads and expands.
#include <gmock/gmock.h>

#include <set>

#include "jobs/experiment/matrix.hpp"
#include "jobs/experiment/model_options.hpp"
#include "jobs/script/script.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

std::vector<std::string> yaml_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(EPOCHCAST_SOURCE_DIR) + "/" + folder)) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Data, EveryExperimentExpandsToScriptsOnEveryCluster) {
  const auto experiments = yaml_files("experiments"), clusters = yaml_files("jobs/clusters");
  ASSERT_GE(experiments.size(), 2U);
  ASSERT_GE(clusters.size(), 2U);
  for (const auto& cluster_file : clusters) {
    const auto cluster = read_cluster(cluster_file);
    for (const auto& experiment_file : experiments) {
      auto experiment = read_experiment(experiment_file);
      experiment.allocations.clear();
      experiment.overrides.clear();
      const auto points = expand(experiment, cluster);
      EXPECT_FALSE(points.empty()) << experiment_file << " on " << cluster_file;
      for (const auto& point : points) {
        const ScriptContext context{"/out", experiment.name, "/bin/train", !cluster.is_local()};
        EXPECT_FALSE(script_text(point, profile_of(cluster, point.allocation), context).empty());
      }
    }
  }
}

TEST(Data, EveryExperimentNamesOptionsThatTheTrainerHas) {
  const auto catalogue = installed_catalogue();
  const auto cluster =
      read_cluster(std::string(EPOCHCAST_SOURCE_DIR) + "/jobs/clusters/local.yaml");
  for (const auto& file : yaml_files("experiments")) {
    auto experiment = read_experiment(file);
    experiment.allocations.clear();
    experiment.overrides.clear();
    EXPECT_NO_THROW(check_options(expand(experiment, cluster), catalogue)) << file;
  }
}

/// The blocks of YAML in a page that describe a program of the user's, made whole: a snippet may
/// lack the name and the value of a placeholder that the text before it has.
std::vector<std::string> programs_in(const std::string& page) {
  std::vector<std::string> blocks;
  for (auto at = page.find("```yaml\n"); at != std::string::npos;
       at = page.find("```yaml\n", at + 1)) {
    const auto begin = at + 8;
    auto block = page.substr(begin, page.find("```", begin) - begin);
    if (block.find("command:") != std::string::npos) {
      block += block.find("name:") == std::string::npos ? "name: x\n" : "";
      block += block.find("epochs:") == std::string::npos ? "epochs: 1\n" : "";
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

TEST(Data, TheProgramsOfTheHowToAreExperiments) {
  const auto cluster =
      read_cluster(std::string(EPOCHCAST_SOURCE_DIR) + "/jobs/clusters/local.yaml");
  const auto blocks =
      programs_in(read_file(std::string(EPOCHCAST_SOURCE_DIR) + "/docs/howto/experiments.md"));
  ASSERT_GE(blocks.size(), 2U);
  for (const auto& block : blocks) {
    const auto experiment =
        experiment_from(run::yaml::parse_text(block, "docs/howto/experiments.md"));
    EXPECT_FALSE(expand(experiment, cluster).empty()) << block;
  }
}

TEST(Data, TheLabIsOneAndFiveEpochsAndTheFullStudyOneOptionAway) {
  const auto file = std::string(EPOCHCAST_SOURCE_DIR) + "/experiments/lab.yaml";
  EXPECT_EQ(read_experiment(file).sweep[0].rows,
            (std::vector<std::vector<std::string>>{{"1"}, {"5"}}));
  EXPECT_EQ(read_experiment(file, {"epochs=1,20"}).sweep[0].rows,
            (std::vector<std::vector<std::string>>{{"1"}, {"20"}}));
}

TEST(Data, ThePublishedLabIsEightPointsOnTheClusterOfTheLab) {
  const std::string source = EPOCHCAST_SOURCE_DIR;
  const auto points = expand(read_experiment(source + "/experiments/lab_published.yaml"),
                             read_cluster(source + "/jobs/clusters/rosie.yaml"));
  std::multiset<std::string> allocations;
  for (const auto& point : points) {
    allocations.insert(point.allocation);
  }
  EXPECT_THAT(allocations,
              testing::ElementsAre("cpu16", "cpu16", "cpu2", "cpu2", "t4", "t4", "v100", "v100"));
}

}  // namespace
}  // namespace epochcast::jobs
