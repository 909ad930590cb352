#include "src/training/torch/base/cuda_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <torch/version.h>

#include <filesystem>
#include <string_view>

#include "src/base/core/error.hpp"

namespace epochcast::libtorch {
namespace {

struct Opened {
  const CudaLibrary* functions = nullptr;
  std::string error;
};

/// NVRTC, with which cuDNN compiles kernels at run time, opens its second library by the bare name,
/// and so does cuDNN of CUDA 12 with NVRTC: both come from the wheels beside LibTorch, if there are
/// any, as in Python.
void load_kernel_compiler() {
  void* torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  link_map* loaded = nullptr;
  if (torch == nullptr || dlinfo(torch, RTLD_DI_LINKMAP, &loaded) != 0) {
    return;
  }
  const auto wheels = std::filesystem::path(loaded->l_name).parent_path() / "../../nvidia";
  for (const char* wheel : {"cu13", "cuda_nvrtc"}) {
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(wheels / wheel / "lib", missing)) {
      const auto name = file.path().filename().string();
      if (name.starts_with("libnvrtc.so.") || name.starts_with("libnvrtc-builtins.so.")) {
        dlopen(file.path().c_str(), RTLD_LAZY);
      }
    }
  }
}

Opened open_cuda_library() {
  // By name only: the run path of the program, or the library path of the archive's launcher.
  const auto name =
      fmt::format("libepochcast_cuda-{}.{}.so", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const void* functions = library == nullptr ? nullptr : dlsym(library, "epochcast_cuda");
  if (functions == nullptr) {
    return {.error = dlerror()};
  }
  load_kernel_compiler();
  return {.functions = static_cast<const CudaLibrary*>(functions)};
}

/// Looks for the flags in one loaded library; a dl_iterate_phdr callback. 1: found.
int find_compiler_flags(dl_phdr_info* info, std::size_t /*size*/, void* flags) {
  const std::string_view library(info->dlpi_name);
  for (int i = 0; library.ends_with("/libtorch_cuda.so") && i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || part.p_flags != PF_R) {
      continue;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): dl_iterate_phdr(3) gives addresses
    const auto* start = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    const std::string_view constants(start, part.p_memsz);
    if (const auto at = constants.find("-gencode"); at != std::string_view::npos) {
      *static_cast<std::string*>(flags) = constants.substr(at, constants.find('\0', at) - at);
      return 1;
    }
  }
  return 0;
}

const Opened& opened() {
  static const Opened once = open_cuda_library();
  return once;
}

}  // namespace

const std::string& cuda_library_error() {
  return opened().error;
}

std::string cuda_compiler_flags() {
  std::string flags;
  dl_iterate_phdr(find_compiler_flags, &flags);
  return flags;
}

const CudaLibrary& cuda_library() {
  if (!cuda_library_error().empty()) {
    throw RunError(
        fmt::format("device cuda: LibTorch's part for CUDA cannot be loaded: {}; take a LibTorch "
                    "with CUDA and a "
                    "trainer that was built for it (docs/howto/install.md), or use cpu",
                    cuda_library_error()));
  }
  return *opened().functions;
}

}  // namespace epochcast::libtorch
