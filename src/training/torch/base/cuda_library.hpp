// What needs LibTorch's CUDA library. It is a library of its own (src/training/torch/cuda), opened
// when a run asks for a GPU: so one trainer serves LibTorch with and without CUDA, and a run on
// CPUs does not pay for CUDA.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace epochcast::libtorch {

/// What the library offers, under the name `epochcast_cuda`.
struct CudaLibrary {
  /// Most bytes that LibTorch's allocator has reserved on a GPU so far.
  std::int64_t (*peak_reserved_bytes)(const torch::Device& device);
  /// Null in a build without the headers of NCCL.
  c10::intrusive_ptr<c10d::Backend> (*nccl_backend)(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank, int size);
};

/// Opens the library at the first call, and with it LibTorch's part for CUDA. Call it before
/// anything asks LibTorch for CUDA: LibTorch remembers its first answer. Throws RunError with the
/// loader's reason if there is no such library or if it does not load.
const CudaLibrary& cuda_library();

/// Why cuda_library() throws; empty if it does not.
const std::string& cuda_library_error();

/// The options with which LibTorch's part for CUDA was compiled, as far as they choose the
/// architectures: "-gencode;arch=compute_75,code=sm_75;...". Empty if they are not found. LibTorch
/// itself tells them only where there is a driver, which login nodes lack, so they are looked up
/// in the constants of its library.
std::string cuda_compiler_flags();

}  // namespace epochcast::libtorch
