// What needs LibTorch's CUDA library. It is a library of its own (src/training/torch/cuda), opened
// when a run asks for a GPU: so one trainer serves LibTorch with and without CUDA, and a run on
// CPUs does not pay for CUDA.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace epochcast::libtorch {

/// The kernels of one step, recorded once and then launched together: a CUDA graph. A replay reads
/// and writes the tensors of the recording, at the same addresses.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Records what `body` launches, without computing it. Throws c10::Error if that cannot be
  /// recorded: `body` waits for the device, or there is no memory.
  virtual void capture(const std::function<void()>& body) = 0;
  virtual void replay() = 0;
};

/// What the library offers, under the name `epochcast_cuda`.
struct CudaLibrary {
  /// Most bytes that LibTorch's allocator has reserved on a GPU so far.
  std::int64_t (*peak_reserved_bytes)(const torch::Device& device);
  /// From now on the peak is that of what follows.
  void (*forget_peak)(const torch::Device& device);
  /// Why CUDA finds no GPU: no driver, one that is too old for this LibTorch, none visible.
  std::string (*why_no_gpu)();
  /// Null in a build without the headers of NCCL.
  c10::intrusive_ptr<c10d::Backend> (*nccl_backend)(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank, int size);
  /// A graph can be captured only in a stream that is not the default one: gives this thread one.
  void (*use_own_stream)();
  /// It shares memory with `beside`, so that the two cannot replay at the same time; null: with
  /// none.
  std::unique_ptr<StepGraph> (*make_graph)(const StepGraph* beside);
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
