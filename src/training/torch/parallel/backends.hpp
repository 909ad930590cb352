// The two ways of c10d by which tensors travel between ranks.
#pragma once

#include <chrono>
#include <string>

#include "src/training/torch/parallel/c10d.hpp"

namespace epochcast::libtorch {

/// How long an exchange waits. Ranks that are gone are noticed by the heartbeat; others may wait
/// for one that reads data or saves.
constexpr auto exchange_patience = std::chrono::hours(2);

/// Between CPUs, over the network interface of `address` or the one that GLOO_SOCKET_IFNAME names.
c10::intrusive_ptr<c10d::Backend> gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size, const std::string& address);

/// Between GPUs. Throws RunError in a build without NCCL.
c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size);

}  // namespace epochcast::libtorch
