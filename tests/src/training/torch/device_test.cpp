#include "src/training/torch/base/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::libtorch {
namespace {

using testing::HasSubstr;

TEST(Device, ATensorBeyondAllMemoryIsOutOfMemoryInOneLine) {
  try {
    guarded([] { return torch::empty({std::int64_t(1) << 54}, torch::kByte); });
    FAIL() << "16 PiB were given";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("out of memory on the host: "));
    EXPECT_THAT(error.what(), HasSubstr("18014398509481984 bytes"));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(Device, MemoryThatALibraryOfCudaCannotGetIsOutOfMemoryToo) {
  for (const auto* text :
       {"CUDA error: out of memory", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling x",
        "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"}) {
    EXPECT_THROW(guarded([&] { TORCH_CHECK(false, text); }), OutOfMemory) << text;
  }
  try {
    guarded([] { TORCH_CHECK(false, "CUDA error: device-side assert triggered"); });
  } catch (const RunError& error) {
    EXPECT_EQ(dynamic_cast<const OutOfMemory*>(&error), nullptr);
  }
}

TEST(Device, ACpuHasNoMemoryOfItsOwn) {
  EXPECT_EQ(peak_device_memory_bytes(torch::kCPU), 0);
}

}  // namespace
}  // namespace epochcast::libtorch
