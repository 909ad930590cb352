// Kernels that libraries of CUDA compile at run time. NVRTC needs no GPU for that, only its second
// library, which no run path leads to: a toolkit in the loader's cache, as on machines of
// developers, would hide that.
#include "src/training/torch/base/cuda_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "src/base/process/command.hpp"

namespace epochcast::libtorch {
namespace {

namespace fs = std::filesystem;

const fs::path wheels = fs::path(EPOCHCAST_SOURCE_DIR) / ".deps/torch-2.11-cuda";
const fs::path nvrtc = wheels / "nvidia/cu13/lib/libnvrtc.so.13";

/// The log of NVRTC for a kernel of one line.
std::string compiled() {
  using Program = void*;
  void* library = dlopen(nvrtc.c_str(), RTLD_LAZY);
  if (library == nullptr) {
    return dlerror();
  }
  const auto call = [&]<class... Arguments>(const char* name, Arguments... arguments) {
    return reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name))(arguments...);
  };
  Program program = nullptr;
  std::array<char, 4096> log{};
  const char* source = "extern \"C\" __global__ void one(float* x) { *x = 1; }";
  const char* const* none = nullptr;
  call("nvrtcCreateProgram", &program, source, "one.cu", 0, none, none);
  const auto status = call("nvrtcCompileProgram", program, 0, none);
  call("nvrtcGetProgramLog", program, log.data());
  return status == 0 ? "compiled" : log.data();
}

// In a process of its own, started by the next test.
TEST(CudaLibrary, DISABLED_CompileAKernel) {
  ASSERT_EQ(cuda_library_error(), "");
  EXPECT_EQ(compiled(), "compiled");
}

TEST(CudaLibrary, KernelsAreCompiledAtRunTimeWithoutAToolkitInTheLoadersCache) {
  if (!fs::exists(nvrtc) ||
      !fs::exists(fs::path(EPOCHCAST_BINARY_DIR) / "../lib/epochcast/libepochcast_cuda-2.11.so")) {
    GTEST_SKIP() << "no whole LibTorch, or no library for GPUs (env/deps cuda)";
  }
  const auto result = process::run_command(
      {"/lib64/ld-linux-x86-64.so.2", "--inhibit-cache", "--library-path", wheels / "torch/lib",
       fs::read_symlink("/proc/self/exe"), "--gtest_also_run_disabled_tests",
       "--gtest_filter=CudaLibrary.DISABLED_CompileAKernel"},
      300);
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}

}  // namespace
}  // namespace epochcast::libtorch
