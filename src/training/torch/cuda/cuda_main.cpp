// The library that the trainer opens for a run on a GPU (src/training/torch/base/cuda_library.hpp).
// It is linked to LibTorch's part for CUDA, and compiled with the headers of CUDA's wheels or
// toolkit.
#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/version.h>

#include <algorithm>

#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "src/training/torch/parallel/backends.hpp"
#endif

#include "src/training/torch/base/cuda_library.hpp"

namespace epochcast::libtorch {
namespace {

c10::DeviceIndex index_of(const torch::Device& device) {
  return device.has_index() ? device.index() : c10::cuda::current_device();
}

// Not run on a GPU so far.
std::int64_t peak_reserved_bytes(const torch::Device& device) {
  constexpr std::size_t of_all_sizes = 0;
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index_of(device));
  return stats.reserved_bytes[of_all_sizes].peak;
}

void forget_peak(const torch::Device& device) {
  c10::cuda::CUDACachingAllocator::resetPeakStats(index_of(device));
}

std::string why_no_gpu() {
  try {
    c10::cuda::device_count_ensure_non_zero();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return text.substr(0, std::min(text.find('\n'), text.find(". Please")));  // for Python's users
  }
  return "it came meanwhile";
}

void use_own_stream() {
  c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool());
}

// Not run on a GPU so far.
class Graph final : public StepGraph {
 public:
  using Pool = decltype(at::cuda::graph_pool_handle());

  /// A pool whose graphs are all gone cannot be used again, so no pool is for all of the process.
  explicit Graph(const Graph* beside)
      : pool_(beside == nullptr ? at::cuda::graph_pool_handle() : beside->pool_) {}

  /// Other threads, which sample the GPU or pin the next batch, may call CUDA meanwhile.
  void capture(const std::function<void()>& body) override {
    try {
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      body();
      graph_.capture_end();
    } catch (...) {
      leave_capture();
      throw;
    }
  }
  void replay() override { graph_.replay(); }

 private:
  template <class Action>
  static void attempt(const Action& action) {
    try {
      action();
    } catch (const c10::Error&) {  // not begun, or it says again that the capture failed
    }
  }

  /// What a capture that failed leaves: a stream in capture, allocators that keep all memory for
  /// it, and a generator that would refuse to give numbers.
  void leave_capture() {
    attempt([&] { graph_.capture_end(); });
    // It throws before it tells the allocators (pytorch#180395, in LibTorch up to 2.11).
    attempt([&] {
      const auto device = c10::cuda::current_device();
      c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool_);
      c10::cuda::CUDACachingAllocator::releasePool(device, pool_);
    });
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 10
    attempt([&] {
      auto* pinned = at::getHostAllocator(at::kCUDA);
      pinned->end_allocate_to_pool(pool_);
      pinned->release_pool(pool_);
    });
#endif
    auto generator = at::globalContext().defaultGenerator(at::kCUDA);
    generator.graphsafe_set_state(generator.clone());
  }

  Pool pool_;
  at::cuda::CUDAGraph graph_;
};

std::unique_ptr<StepGraph> make_graph(const StepGraph* beside) {
  return std::make_unique<Graph>(static_cast<const Graph*>(beside));
}

#ifdef USE_C10D_NCCL
c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank, int size) {
  using Nccl = c10d::ProcessGroupNCCL;
  auto options = Nccl::Options::create();
  options->timeout = exchange_patience;
  return c10::make_intrusive<Nccl>(store, rank, size, options);
}
#else
constexpr decltype(CudaLibrary::nccl_backend) make_nccl_backend = nullptr;
#endif

}  // namespace
}  // namespace epochcast::libtorch

extern "C" {
extern const epochcast::libtorch::CudaLibrary epochcast_cuda;
const epochcast::libtorch::CudaLibrary epochcast_cuda{
    .peak_reserved_bytes = epochcast::libtorch::peak_reserved_bytes,
    .forget_peak = epochcast::libtorch::forget_peak,
    .why_no_gpu = epochcast::libtorch::why_no_gpu,
    .nccl_backend = epochcast::libtorch::make_nccl_backend,
    .use_own_stream = epochcast::libtorch::use_own_stream,
    .make_graph = epochcast::libtorch::make_graph};
}
