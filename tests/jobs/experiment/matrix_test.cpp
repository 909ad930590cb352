#include "jobs/experiment/matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "src/record/run/run_config.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using testing::ElementsAre;

const char* two_allocations = R"(
scheduler: slurm
defaults: {memory: 1G, time: 1h}
allocations:
  cpu2: {cpus: 2}
  t4: {cpus: 8, gpus: 1, gpu: t4}
)";

std::vector<Point> points(const std::string& experiment,
                          const std::string& cluster = two_allocations) {
  return expand(experiment_from(run::yaml::parse_text(experiment, "x.yaml")),
                cluster_from(run::yaml::parse_text(cluster, "c.yaml")));
}

std::vector<std::string> ids(const std::vector<Point>& points) {
  std::vector<std::string> ids;
  for (const auto& point : points) {
    ids.push_back(point.id);
  }
  return ids;
}

// A change here renames every point of every user: their results would no longer be found.
TEST(Matrix, IdsNeverChange) {
  EXPECT_THAT(ids(points("name: lab\nmodel: dcgan\nbatch: 256\nsweep: {epochs: [1, "
                         "20]}\nallocations: [t4]\nrepeats: 2")),
              ElementsAre("dcgan.t4.e1.r0-fx7wfn78td", "dcgan.t4.e1.r1-5vrw2aea4e",
                          "dcgan.t4.e20.r0-xhe6n3v5gc", "dcgan.t4.e20.r1-azpf25qhs4"));
}

TEST(Matrix, AServiceHasNoEpochsAndItsMixIsAPath) {
  const auto all = points(
      "name: x\ntask: serve\nload.mix: texts.txt\nsweep: {serve.batch: [1, 8]}\nallocations: "
      "[cpu2]");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0].id, testing::StartsWith("dcgan.cpu2.r0-"));
  const auto& parameters = all[1].parameters;
  EXPECT_EQ(run::value_of_parameter(parameters, "serve.batch"), "8");
  EXPECT_THAT(run::value_of_parameter(parameters, "load.mix"), testing::StartsWith("/"));
  EXPECT_EQ(run::value_of_parameter(points("name: x\ntask: serve\nload.mix: study")[0].parameters,
                                    "load.mix"),
            "study");
}

TEST(Matrix, RefusesOptionsOfAnotherTask) {
  EXPECT_EQ(error_of([] { points("name: x\nserve.batch: 8"); }),
            "x.yaml: serve.batch: is an option of task serve, found task train");
}

TEST(Matrix, AValueAtItsDefaultIsNoPartOfTheId) {
  EXPECT_EQ(ids(points("name: a\nbatch: 256\nprocedure: fast")), ids(points("name: b")));
  EXPECT_NE(ids(points("name: a\nbatch: 64")), ids(points("name: a")));
}

TEST(Matrix, TheDeviceIsTheAllocationsUnlessTheExperimentSetsIt) {
  const auto device = [](const Point& point) {
    return run::run_config_from(point.parameters).device;
  };
  const auto by_allocation = points("name: x");
  EXPECT_EQ(device(by_allocation[0]), "cpu");
  EXPECT_EQ(device(by_allocation[1]), "cuda");
  EXPECT_EQ(device(points("name: x\ndevice: cpu")[1]), "cpu");
}

TEST(Matrix, TheOrderIsAllocationsThenTheSweepThenRepeats) {
  std::vector<std::string> seen;
  for (const auto& point : points("name: x\nsweep: {batch: [1, 2], epochs: [3, 4]}\nrepeats: "
                                  "2\nallocations: [t4, cpu2]")) {
    const auto config = run::run_config_from(point.parameters);
    seen.push_back(
        fmt::format("{} {} {} {}", point.allocation, config.batch, config.epochs, config.repeat));
  }
  EXPECT_THAT(seen,
              ElementsAre("t4 1 3 0", "t4 1 3 1", "t4 1 4 0", "t4 1 4 1", "t4 2 3 0", "t4 2 3 1",
                          "t4 2 4 0", "t4 2 4 1", "cpu2 1 3 0", "cpu2 1 3 1", "cpu2 1 4 0",
                          "cpu2 1 4 1", "cpu2 2 3 0", "cpu2 2 3 1", "cpu2 2 4 0", "cpu2 2 4 1"));
}

TEST(Matrix, ExcludeDropsCombinationsAlsoByAllocation) {
  EXPECT_EQ(points("name: x\nsweep: {epochs: [1, 20], batch: [64, 256], exclude: {epochs: 20, "
                   "allocation: cpu2}}")
                .size(),
            6U);
  EXPECT_EQ(points("name: x\nsweep: {epochs: [1, 20], batch: [64, 256]}\nexclude: [{epochs: 20, "
                   "batch: 64}, {batch: [64], epochs: [1]}]")
                .size(),
            4U);
  EXPECT_EQ(points("name: x\nsweep: {zip: {epochs: [1, 20], batch: [64, 256]}}").size(), 4U);
}

TEST(Matrix, AnOverrideHoldsForItsAllocation) {
  const auto both = points("name: x\nbatch: 128\noverride: {cpu2: {batch: 64}}");
  EXPECT_EQ(run::run_config_from(both[0].parameters).batch, 64);
  EXPECT_EQ(run::run_config_from(both[1].parameters).batch, 128);
}

TEST(Matrix, NamesBecomeSafeInIdsAndRemainDistinct) {
  const std::string cluster =
      "scheduler: local\nallocations: {'a b': {}, 'a/b': {}, 'ä': {}, '$(x)': {}}";
  const auto all = ids(points("name: x\nmodel: ../m", cluster));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 4U);
  for (const auto& id : all) {
    EXPECT_EQ(
        id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-."),
        std::string::npos)
        << id;
    EXPECT_FALSE(id.starts_with('.')) << id;
  }
}

TEST(Matrix, ACommandsParametersAreItsPlaceholders) {
  const auto all = points(
      "name: ext\ncommand: [run, '{lr}', '{cpus}', '{work}']\nsweep: {lr: [0.1, "
      "abc]}\nallocations: [cpu2]");
  EXPECT_EQ(all[0].parameters, (run::Parameters{{"lr", "0.1", "number", "1"},
                                                {"cpus", "2", "integer", "1"},
                                                {"repeat", "0", "integer", "1"}}));
  EXPECT_EQ(all[1].parameters[0], (run::Parameter{"lr", "abc", "text", "1"}));
  EXPECT_TRUE(all[0].id.starts_with("ext.cpu2.r0-")) << all[0].id;
}

TEST(Matrix, AnUnknownAllocationIsReportedWithTheNearestName) {
  EXPECT_EQ(error_of([] { points("name: x\nallocations: [cpu3]"); }),
            "x.yaml: allocation 'cpu3' is not in cluster 'c'; did you mean 'cpu2'?");
  EXPECT_EQ(error_of([] { points("name: x\noverride: {t5: {batch: 1}}"); }),
            "x.yaml: override: allocation 't5' is not in cluster 'c'; did you mean 't4'?");
  EXPECT_EQ(error_of([] { points("name: x\nallocations: [t4, t4]"); }).substr(0, 36),
            "x.yaml: two points are equal ('dcgan");
}

}  // namespace
}  // namespace epochcast::jobs
