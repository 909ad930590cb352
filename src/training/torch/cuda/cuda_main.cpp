// The library that the trainer opens for a run on a GPU (src/training/torch/base/cuda_library.hpp).
// It is linked to LibTorch's part for CUDA, and compiled with the headers of CUDA's wheels or
// toolkit.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "src/training/torch/parallel/backends.hpp"
#endif

#include "src/training/torch/base/cuda_library.hpp"

namespace epochcast::libtorch {
namespace {

// Not run on a GPU so far.
std::int64_t peak_reserved_bytes(const torch::Device& device) {
  constexpr std::size_t of_all_sizes = 0;
  const auto index = device.has_index() ? device.index() : c10::cuda::current_device();
  return c10::cuda::CUDACachingAllocator::getDeviceStats(index).reserved_bytes[of_all_sizes].peak;
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
    .nccl_backend = epochcast::libtorch::make_nccl_backend};
}
