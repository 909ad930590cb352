// The trainer's library for GPUs, as far as it goes on a machine without one: with a whole LibTorch
// (env/deps cuda) it loads, and the driver is what is missing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path whole_libtorch = fs::path(EPOCHCAST_SOURCE_DIR) / ".deps/torch-2.11-cuda/torch/lib";

class GpuLibrary : public TrainerTest {
 protected:
  void SetUp() override {
    const fs::path libraries = fs::path(EPOCHCAST_BINARY_DIR) / "../lib/epochcast";
    if (!fs::exists(libraries / "libepochcast_cuda-2.11.so")) {
      GTEST_SKIP() << "this build had no headers of CUDA (env/deps cuda)";
    }
  }

  static process::CommandResult with_libraries(std::vector<std::string> words,
                                               const std::string& libraries) {
    return process::run_command(words, 300,
                                {{"LD_LIBRARY_PATH", libraries},
                                 {"CUDA_VISIBLE_DEVICES", "-1"},
                                 {"EPOCHCAST_JOB_ID", "1"}});
  }
};

TEST_F(GpuLibrary, LoadsWithAWholeLibTorch) {
  if (!fs::exists(whole_libtorch)) {
    GTEST_SKIP() << "no " << whole_libtorch;
  }
  const auto version = with_libraries({program(), "--version"}, whole_libtorch);
  // As jobs/submit/check_gpu.cpp knows it.
  EXPECT_THAT(version.out, HasSubstr("with CUDA for sm_75 sm_80 sm_86 sm_90 sm_100 sm_120\n"))
      << version.err;
}

/// The folder that pip's --target makes, of the wheels of env/deps.
fs::path installed(const fs::path& site, const std::vector<fs::path>& wheels) {
  const auto link_all = [](const fs::path& from, const fs::path& into) {
    fs::create_directories(into);
    for (const auto& entry : fs::directory_iterator(from)) {
      if (!fs::exists(into / entry.path().filename())) {
        fs::create_symlink(fs::canonical(entry), into / entry.path().filename());
      }
    }
  };
  for (const auto& wheel : wheels) {
    if (fs::exists(wheel / "torch")) {  // not as one link: its libraries look for others by "../.."
      link_all(wheel / "torch/lib", site / "torch/lib");
      link_all(wheel / "torch", site / "torch");
    }
    link_all(wheel / "nvidia", site / "nvidia");
    link_all(wheel, site);
  }
  return site;
}

/// The archive as cmake/bundle.cmake makes it, with the trainers of both LibTorchs.
void make_archive(const fs::path& archive, const fs::path& other_build) {
  for (const auto* name : {"bin", "lib/epochcast", "libexec/epochcast"}) {
    fs::create_directories(archive / name);
  }
  const fs::path build = fs::path(EPOCHCAST_BINARY_DIR).parent_path();
  fs::copy_file("/lib64/ld-linux-x86-64.so.2", archive / "lib/epochcast/ld-linux-x86-64.so.2");
  fs::copy_file(build / "bin/epochcast-launcher", archive / "libexec/epochcast/launcher");
  fs::create_symlink("../libexec/epochcast/launcher", archive / "bin/epochcast-train");
  for (const auto& [series, from] : {std::pair{"2.11", build}, {"2.7", other_build}}) {
    const auto library = fmt::format("lib/epochcast/libepochcast_cuda-{}.so", series);
    fs::create_symlink(from / "bin/epochcast-train",
                       archive / fmt::format("libexec/epochcast/epochcast-train-{}", series));
    fs::create_symlink(from / library, archive / library);
  }
}

TEST_F(GpuLibrary, TheArchiveTakesTheTrainerOfEachLibTorchWhichLoadsItsCuda) {
  const auto deps = fs::path(EPOCHCAST_SOURCE_DIR) / ".deps";
  const auto other_build = fs::path(EPOCHCAST_BINARY_DIR) / "../../torch27";
  if (!fs::exists(other_build / "lib/epochcast/libepochcast_cuda-2.7.so") ||
      !fs::exists(deps / "cuda-2.7/nvidia/cudnn")) {
    GTEST_SKIP() << "no library for GPUs with LibTorch 2.7 (env/deps torch-2.7 cuda-2.7, then "
                    "preset torch27)";
  }
  make_archive(folder / "archive", other_build);
  const auto version = [&](const fs::path& torch) {
    return with_libraries({folder / "archive/bin/epochcast-train", "--torch", torch, "--version"},
                          "")
        .out;
  };
  const auto older = version(installed(folder / "2.7", {deps / "torch-2.7", deps / "cuda-2.7"}));
  EXPECT_THAT(older, HasSubstr("LibTorch 2.7"));
  // As jobs/submit/check_gpu.cpp knows it.
  EXPECT_THAT(older, HasSubstr("with CUDA for sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90\n"));
  const auto newer = version(whole_libtorch.parent_path());
  EXPECT_THAT(newer, HasSubstr("LibTorch 2.11"));
  EXPECT_THAT(newer, HasSubstr("with CUDA for sm_75"));
}

TEST_F(GpuLibrary, WithoutAGpuTheRunFailsInOneLineAndHasARecord) {
  if (!fs::exists(whole_libtorch)) {
    GTEST_SKIP() << "no " << whole_libtorch;
  }
  const auto result = with_libraries(words("p", 1, {"--device=cuda"}), whole_libtorch);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("device cuda: no GPU that CUDA can use"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  const auto failed = record("p", "1");
  EXPECT_EQ(failed.header.outcome.view(), "failed");
}

TEST_F(GpuLibrary, TheReasonIsNamedWhereCudaIsMissing) {
  // The LibTorch of 'env/deps base' lacks the libraries that CUDA's part needs.
  const auto version = with_libraries({program(), "--version"}, "");
  if (version.out.find("with CUDA for ") != std::string::npos) {
    GTEST_SKIP() << "the LibTorch of this build is whole";
  }
  EXPECT_THAT(version.out, HasSubstr("without CUDA (lib"));
  const auto run = with_libraries(words("p", 1, {"--device=cuda"}), "");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("device cuda: LibTorch's part for CUDA cannot be loaded: lib"));
}

}  // namespace
}  // namespace epochcast
