
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/cluster/cluster.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// The allocation "a" of a profile with these defaults and keys.
AllocationProfile profile(const std::string& defaults, const std::string& keys = "",
                          const std::string& scheduler = "slurm") {
  return profile_of(cluster_from(run::yaml::parse_text(
                        "scheduler: " + scheduler + "\ndefaults: {memory: 1G, " + defaults +
                            "}\nallocations:\n  a: {time: 1h, " + keys + "}\n",
                        "/sites/c.yaml")),
                    "a");
}

TEST(Container, IsReadAndAnAllocationReplacesSingleKeys) {
  const std::string defaults =
      "container: {runtime: apptainer, image: images/e.sif, binds: [/data:/data:ro, /scratch]}";
  const auto common = profile(defaults).container;
  EXPECT_EQ(common.runtime, "apptainer");
  EXPECT_EQ(common.image, "/sites/images/e.sif");
  EXPECT_EQ(common.gpu, "auto");
  EXPECT_THAT(common.binds, ElementsAre("/data:/data:ro", "/scratch"));

  const auto own = profile(defaults, "container: {image: /v100.sif, gpu: false}").container;
  EXPECT_EQ(own.runtime, "apptainer");
  EXPECT_EQ(own.image, "/v100.sif");
  EXPECT_EQ(own.gpu, "false");
  EXPECT_EQ(profile(defaults, "container: none").container, Container{});
}

TEST(Container, ImagesOfARegistryOrAStorageKeepTheirNames) {
  const auto image = [](const std::string& text) {
    return profile("container: {" + text + "}").container.image;
  };
  EXPECT_EQ(image("runtime: podman, image: localhost/epochcast"), "localhost/epochcast");
  EXPECT_EQ(image("runtime: pyxis, image: nvcr.io#nvidia/pytorch:25.01-py3"),
            "nvcr.io#nvidia/pytorch:25.01-py3");
  EXPECT_EQ(image("runtime: apptainer, image: 'docker://a/b'"), "docker://a/b");
  EXPECT_EQ(image("runtime: apptainer, image: e.sif"), "/sites/e.sif");
  EXPECT_EQ(image("runtime: charliecloud, image: epochcast"), "epochcast");
}

TEST(Container, CanBeSetByTheUser) {
  const test::TempFolder folder;
  const test::WithVariable home("HOME", folder / "");
  const auto file = folder.write("c.yaml", R"(
scheduler: slurm
defaults: {memory: 1G, time: 1h, container: {runtime: apptainer, image: /theirs.sif}}
allocations: {a: {cpus: 1}, b: {cpus: 2}})");
  folder.write(".config/epochcast/sites.yaml", "c: {container: {binds: [/mine]}}\n");
  const auto cluster = read_cluster(file, {{"container.image", "/mine.sif"}});
  for (const auto* name : {"a", "b"}) {
    const auto& container = profile_of(cluster, name).container;
    EXPECT_EQ(container.runtime, "apptainer");
    EXPECT_EQ(container.image, "/mine.sif");
    EXPECT_THAT(container.binds, ElementsAre("/mine"));
  }
}

TEST(Container, MistakesGetOneLineWithTheirPlace) {
  const auto refusal = [](const std::string& keys, const std::string& scheduler = "slurm") {
    return error_of([&] { profile("time: 1h", keys, scheduler); });
  };
  EXPECT_THAT(refusal("container: {runtime: docker, image: x}"),
              StartsWith("/sites/c.yaml:4: container.runtime: found 'docker', expected one of "
                         "apptainer, singularity, charliecloud, podman, pyxis"));
  EXPECT_EQ(refusal("container: {runtime: podman}"),
            "/sites/c.yaml:4: a: container.image is missing. Add 'image: /path/epochcast.sif'");
  EXPECT_THAT(refusal("container: {image: x}"), HasSubstr("a: container.runtime is missing"));
  EXPECT_EQ(refusal("container: {imgae: x}"),
            "/sites/c.yaml:4: container: unknown key 'imgae'; did you mean 'image'?");
  EXPECT_THAT(refusal("container: epochcast.sif"), HasSubstr("/sites/c.yaml:4: found"));
  EXPECT_THAT(refusal("container: {runtime: podman, image: x, binds: ['/a:/b:rx']}"),
              HasSubstr("container.binds: found '/a:/b:rx', expected SOURCE:TARGET"));
  EXPECT_THAT(refusal("container: {runtime: podman, image: x, binds: ['/a,/b']}"),
              HasSubstr("container.binds: found '/a,/b'"));
  EXPECT_THAT(refusal("container: {runtime: pyxis, image: x}", "local"),
              HasSubstr("pyxis is a part of Slurm's srun"));
  EXPECT_THAT(error_of([] {
                cluster_from(run::yaml::parse_text(
                    "scheduler: local\nallocations: {container: {cpus: 1}}", "c.yaml"));
              }),
              HasSubstr("'container' is a key"));
}

}  // namespace
}  // namespace epochcast::jobs
