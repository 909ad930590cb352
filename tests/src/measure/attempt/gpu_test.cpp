#include "src/measure/attempt/gpu.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace epochcast::attempt {
namespace {

TEST(Gpu, IsNoneWithoutADriver) {
  EXPECT_TRUE(read_gpus("libno-such-library.so.1").empty());
}

TEST(Gpu, IsNoneWhereTheLibraryIsAnother) {
  EXPECT_TRUE(read_gpus("libm.so.6").empty());
}

TEST(Gpu, IsReadFromTheLibrary) {
  const auto gpus = read_gpus(EPOCHCAST_FAKE_NVML);
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].name, "Tesla T4");
  EXPECT_EQ(gpus[0].uuid, "GPU-1111-aaaa");
  EXPECT_EQ(gpus[0].driver, "550.54.15");
  EXPECT_EQ(gpus[0].architecture, "sm_75");
  EXPECT_EQ(gpus[0].memory_bytes, 16106127360);
  EXPECT_EQ(gpus[0].clock_mhz, 1590);
  EXPECT_EQ(gpus[0].memory_clock_mhz, 5001);
  EXPECT_EQ(gpus[0].power_limit_w, 70);
}

TEST(Gpu, MayNotReportEverything) {
  const auto gpu = read_gpus(EPOCHCAST_FAKE_NVML).at(1);
  EXPECT_EQ(gpu.name, "Tesla V100-SXM2-32GB");
  EXPECT_EQ(gpu.architecture, "");
  EXPECT_EQ(gpu.memory_bytes, 0);
  EXPECT_EQ(gpu.clock_mhz, 0);
  EXPECT_EQ(gpu.power_limit_w, 0);
}

TEST(Gpu, OfAmdIsReadFromItsLibrary) {
  const auto gpus = read_gpus("libno-such-library.so.1", {"none.so", EPOCHCAST_FAKE_ROCM_SMI});
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].name, "AMD Instinct MI250X");
  EXPECT_EQ(gpus[0].uuid, "GPU-abc0000000000001");
  EXPECT_EQ(gpus[0].driver, "6.7.0");
  EXPECT_EQ(gpus[0].memory_bytes, 68702699520);
  EXPECT_EQ(gpus[0].clock_mhz, 1700);
  EXPECT_EQ(gpus[0].memory_clock_mhz, 1600);
  EXPECT_EQ(gpus[0].power_limit_w, 560);
  EXPECT_EQ(gpus[1].uuid, "");
  EXPECT_EQ(gpus[1].memory_bytes, 0);
  EXPECT_EQ(gpus[1].clock_mhz, 0);
}

TEST(Gpu, InMigModeIsItsSlices) {
  setenv("FAKE_NVML_MIG", "1", 1);
  const auto gpus = read_gpus(EPOCHCAST_FAKE_NVML);
  unsetenv("FAKE_NVML_MIG");
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(first_visible(gpus, "0")->name, "Tesla T4");
  EXPECT_EQ(first_visible(gpus, "1")->uuid, "MIG-3333-cccc") << "as CUDA takes it";
  EXPECT_EQ(first_visible(gpus, "2"), nullptr);
  const auto* slice = first_visible(gpus, "MIG-4444");
  ASSERT_NE(slice, nullptr);
  EXPECT_EQ(slice->name, "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
  EXPECT_EQ(slice->memory_bytes, 10000000000);
}

struct VisibleCase {
  const char* variable;
  const char* uuid;
};
class VisibleGpu : public testing::TestWithParam<VisibleCase> {};
TEST_P(VisibleGpu, IsTheOneTheVariableNamesFirst) {
  const std::vector<Gpu> gpus{{.index = 0, .uuid = "GPU-11"}, {.index = 1, .uuid = "GPU-22"}};
  const auto* gpu = first_visible(gpus, GetParam().variable);
  EXPECT_EQ(gpu == nullptr ? "none" : gpu->uuid, GetParam().uuid);
}
INSTANTIATE_TEST_SUITE_P(Table, VisibleGpu,
                         testing::Values(VisibleCase{"", "GPU-11"}, VisibleCase{"1", "GPU-22"},
                                         VisibleCase{"1,0", "GPU-22"},
                                         VisibleCase{"GPU-22", "GPU-22"},
                                         VisibleCase{"GPU-2", "GPU-22"}, VisibleCase{"2", "none"},
                                         VisibleCase{"MIG-5", "none"}, VisibleCase{"-1", "none"}));

}  // namespace
}  // namespace epochcast::attempt
