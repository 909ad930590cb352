#include "src/torch/base/cuda_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "src/core/error.hpp"

namespace epochcast::libtorch {
namespace {

struct Opened {
  const CudaLibrary* functions = nullptr;
  std::string error;
};

Opened open_cuda_library() {
  // By name only: the run path of the program, or the library path of the archive's launcher.
  const auto name =
      fmt::format("libepochcast_cuda-{}.{}.so", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const void* functions = library == nullptr ? nullptr : dlsym(library, "epochcast_cuda");
  if (functions == nullptr) {
    return {.error = dlerror()};
  }
  return {.functions = static_cast<const CudaLibrary*>(functions)};
}

const Opened& opened() {
  static const Opened once = open_cuda_library();
  return once;
}

}  // namespace

const std::string& cuda_library_error() {
  return opened().error;
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
