// The trainer's library for GPUs, as far as it goes on a machine without one: with a whole LibTorch
// (env/deps cuda) it loads, and the driver is what is missing.
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
