#include "src/forecast/device/gpu_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CudaSupport, IsReadFromTheLineThatTheTrainerPrints) {
  const std::string start = "epochcast-train 1.0\nLibTorch 2.11.0, AVX2, ";
  for (const auto& support :
       {CudaSupport{.loads = true, .code = {"sm_75", "sm_90"}}, CudaSupport{.loads = true},
        CudaSupport{.why_not = "libcuda.so.1: no such file"}, CudaSupport{}}) {
    const auto found = cuda_support_in(start + to_text(support) + "\n");
    ASSERT_TRUE(found) << to_text(support);
    EXPECT_EQ(found->loads, support.loads);
    EXPECT_EQ(found->why_not, support.why_not);
    EXPECT_EQ(found->code, support.code);
  }
  EXPECT_FALSE(cuda_support_in(start)) << "another program";
}

TEST(GpuCode, IsReadFromTheOptionsOfNvcc) {
  EXPECT_THAT(code_in_flags("  - CUDA Runtime 13.0\n  - NVCC architecture flags: "
                            "-gencode;arch=compute_75,code=sm_75;-gencode;arch=compute_120,"
                            "code=sm_120\n  - CuDNN 9.19"),
              ElementsAre("sm_75", "sm_120"));
  EXPECT_THAT(code_in_flags("-gencode arch=compute_90a,code=[sm_90a,compute_90a] "
                            "-gencode arch=compute_80,code=\"sm_80,compute_80\""),
              ElementsAre("sm_90a", "compute_90a", "sm_80", "compute_80"));
  EXPECT_THAT(code_in_flags(""), IsEmpty());
  EXPECT_THAT(code_in_flags("code=;code=gfx90a;zip code=none"), IsEmpty());
}

TEST(GpuCode, RunsWithinItsMajorVersionAndFromItsMinorVersionOn) {
  const std::vector<std::string> libtorch_2_11{"sm_75", "sm_80",  "sm_86",
                                               "sm_90", "sm_100", "sm_120"};
  for (const auto* gpu :
       {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_103", "sm_120"}) {
    EXPECT_TRUE(has_code_for(libtorch_2_11, gpu)) << gpu;
  }
  for (const auto* gpu : {"sm_37", "sm_70", "sm_72", "gfx90a", ""}) {
    EXPECT_FALSE(has_code_for(libtorch_2_11, gpu)) << gpu;
  }
  EXPECT_TRUE(has_code_for({"compute_70"}, "sm_90")) << "the driver compiles it";
  EXPECT_FALSE(has_code_for({"compute_70"}, "sm_61"));
  EXPECT_FALSE(has_code_for({"sm_90a", "compute_90a"}, "sm_100"));
  EXPECT_FALSE(has_code_for({"sm_100a"}, "sm_103"));
  EXPECT_TRUE(has_code_for({"sm_100f"}, "sm_103"));
}

}  // namespace
}  // namespace epochcast::device
