#include "jobs/script/container_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/script/script.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

AllocationProfile profile(const Container& container, std::int64_t gpus = 0) {
  return {.name = "a",
          .asks = {.gpus = gpus, .memory = {1 << 30}, .time = {3600}},
          .launch = {},
          .modules = {},
          .setup = {},
          .launch_prefix = {},
          .container = container,
          .sbatch = {}};
}

std::string words(const Container& container, std::int64_t gpus = 0) {
  return join(container_words(profile(container, gpus), "/out"), " ");
}

const std::vector<std::string> binds{"/data:/data:ro", "/scratch"};

TEST(ContainerWords, WhatTheSetupExportsReachesAPodmanContainer) {
  auto site = profile({"podman", "e", "auto", {}, {}});
  site.setup = {"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True WANDB_MODE=offline",
                "cd /x && export HF_HOME=\"/data/my hub\"; ulimit -n 4096"};
  const auto all = join(container_words(site, "/out"), " ");
  for (const auto* name : {"PYTORCH_CUDA_ALLOC_CONF", "WANDB_MODE", "HF_HOME"}) {
    EXPECT_THAT(all, HasSubstr(std::string(" --env=") + name + " "));
  }
  EXPECT_THAT(all, Not(HasSubstr("--env=ulimit")));
}

TEST(ContainerWords, OfEachRuntime) {
  EXPECT_EQ(
      words({"apptainer", "/e.sif", "auto", binds, {}}),
      "apptainer exec --bind=/out:/out --bind=/data:/data:ro --bind=/scratch:/scratch /e.sif");
  EXPECT_EQ(words({"singularity", "/e.sif", "auto", {}, {}}, 2),
            "singularity exec --nv --bind=/out:/out /e.sif");
  EXPECT_EQ(words({"charliecloud", "/img", "auto", binds, {}}, 1),
            "ch-run --bind=/out:/out --bind=/data:/data --bind=/scratch:/scratch /img "
            "--");
  EXPECT_THAT(words({"podman", "e", "auto", binds, {}}, 1),
              testing::AllOf(HasSubstr("podman run --rm --cgroups=disabled "),
                             HasSubstr(" --env=EPOCHCAST_* --env=SLURM_* "),
                             HasSubstr(" --env=RANK --env=LOCAL_RANK --env=WORLD_SIZE "),
                             HasSubstr(" --device=nvidia.com/gpu=all "),
                             HasSubstr(" --volume=/out:/out --volume=/data:/data:ro ")));
  EXPECT_THAT(words({}), IsEmpty());
  EXPECT_THAT(words({"pyxis", "e", "auto", {}, {}}), IsEmpty());
}

TEST(ContainerWords, FurtherOptionsComeAfterOurOwn) {
  EXPECT_EQ(words({"charliecloud", "/img", "auto", {}, {"--write", "--set-env"}}),
            "ch-run --bind=/out:/out --write --set-env /img --");
  EXPECT_THAT(words({"podman", "e", "auto", {}, {"--cgroups=enabled"}}),
              testing::EndsWith(" --entrypoint= --cgroups=enabled e"));
  EXPECT_THAT(words({"apptainer", "/e.sif", "auto", {}, {"--cleanenv"}}),
              testing::EndsWith(" --cleanenv /e.sif"));
}

TEST(ContainerWords, TheOutputFolderNeedsNoBindWhereAnotherShowsIt) {
  const auto words_with = [](const std::string& bind) {
    return join(container_words(profile({"apptainer", "/e.sif", "auto", {bind}, {}}), "/a/b"), " ");
  };
  EXPECT_EQ(words_with("/a"), "apptainer exec --bind=/a:/a /e.sif");
  EXPECT_EQ(words_with("/a/b:/a/b:rw"), "apptainer exec --bind=/a/b:/a/b:rw /e.sif");
  for (const auto* bind : {"/a:/a:ro", "/a:/c", "/a/b/c:/a/b/c", "/ab:/ab"}) {
    EXPECT_THAT(words_with(bind), HasSubstr("--bind=/a/b:/a/b --bind=")) << bind;
  }
}

TEST(ContainerWords, GpusAreShownAsTheAllocationOrTheProfileSays) {
  EXPECT_THAT(words({"apptainer", "/e.sif", "auto", {}, {}}, 0), Not(HasSubstr("--nv")));
  EXPECT_THAT(words({"apptainer", "/e.sif", "true", {}, {}}, 0), HasSubstr("--nv"));
  EXPECT_THAT(words({"apptainer", "/e.sif", "false", {}, {}}, 4), Not(HasSubstr("--nv")));
}

TEST(ContainerWords, PyxisTakesThemAsOptionsOfSrun) {
  const auto site = profile({"pyxis", "nvcr.io#nvidia/pytorch:25.01-py3", "auto", binds, {}}, 1);
  EXPECT_EQ(join(container_srun_options(site, "/out"), " "),
            "--container-image=nvcr.io#nvidia/pytorch:25.01-py3 "
            "--container-mounts=/out:/out,/data:/data:ro,/scratch:/scratch");
  EXPECT_THAT(
      script_text({"p", "a", {}, {}, {}}, site, {"/out", "x", "/host/epochcast-train"}),
      HasSubstr("--kill-on-bad-exit=1 '--container-image=nvcr.io#nvidia/pytorch:25.01-py3' "));
  EXPECT_THAT(container_srun_options(profile({"podman", "e", "auto", {}, {}}), "/out"), IsEmpty());
}

/// A script with a runtime that only prints; every word arrives, whatever it holds.
TEST(ContainerWords, StartTheProgramOfTheImageInTheScript) {
  const test::TempFolder folder;
  const test::WithVariable path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH"));
  folder.write("bin/apptainer", "#!/bin/bash\nprintf '%s\\n' \"$@\" >\"$APPTAINER_OUT\"\n", true);
  test::make_out(folder / "");
  const auto script = folder.write(
      "s.sh", script_text({"p", "a", {}, {}, {}},
                          profile({"apptainer", "/my images/$e.sif", "auto", {"/a b:/c"}, {}}),
                          {folder / "", "x", "/host/epochcast-train", false}));
  const auto result = process::run_command({"bash", script}, 20,
                                           {{"SLURM_CPUS_PER_TASK", "1"},
                                            {"EPOCHCAST_JOB_ID", "local-1"},
                                            {"APPTAINER_OUT", folder / "words"}});
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_THAT(read_file(folder / "words"), HasSubstr("exec\n"));
  EXPECT_THAT(read_file(folder / "words"),
              HasSubstr("--bind=/a b:/c\n/my images/$e.sif\nepochcast-train\n--point=p\n"));
}

TEST(ContainerWords, MissingIsTheRuntimeNotTheProgramInTheImage) {
  const test::TempFolder folder;
  const test::WithVariable path("PATH", (folder / "bin").string());
  const ScriptContext context{"/out", "x", "/host/epochcast-train"};
  const auto site = profile({"apptainer", "/e.sif", "auto", {}, {}});
  EXPECT_EQ(missing_program(site, context), "apptainer");
  folder.write("bin/apptainer", "", true);
  EXPECT_EQ(missing_program(site, context), "");
  EXPECT_EQ(missing_program(profile({"pyxis", "e", "auto", {}, {}}), context), "");
  EXPECT_EQ(program_of(site, context), "epochcast-train");
}

}  // namespace
}  // namespace epochcast::jobs
