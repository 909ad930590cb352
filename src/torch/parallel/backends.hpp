// The two ways of c10d by which tensors travel between ranks.
#pragma once

#include <string>

#include "src/torch/parallel/c10d.hpp"

namespace epochcast::libtorch {

/// Between CPUs, over the network interface of `address` or the one that GLOO_SOCKET_IFNAME names.
c10::intrusive_ptr<c10d::Backend> gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size, const std::string& address);

/// Between GPUs. Throws RunError in a build without CUDA.
c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size);

}  // namespace epochcast::libtorch
