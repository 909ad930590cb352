#include "src/torch/parallel/backends.hpp"

#include <chrono>
#include <cstdlib>

#include "src/core/error.hpp"

#ifdef EPOCHCAST_CUDA
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace epochcast::libtorch {
namespace {

/// Ranks that are gone are noticed by the heartbeat; others may wait for one that reads data or
/// saves.
constexpr auto patience = std::chrono::hours(2);

}  // namespace

c10::intrusive_ptr<c10d::Backend> gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size, const std::string& address) {
  using Gloo = c10d::ProcessGroupGloo;
  auto options = Gloo::Options::create(patience);
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  options->devices.push_back(interface == nullptr ? Gloo::createDeviceForHostname(address)
                                                  : Gloo::createDeviceForInterface(interface));
  return c10::make_intrusive<Gloo>(store, rank, size, options);
}

#ifdef EPOCHCAST_CUDA  // not run on a GPU so far
c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size) {
  using Nccl = c10d::ProcessGroupNCCL;
  auto options = Nccl::Options::create();
  options->timeout = patience;
  return c10::make_intrusive<Nccl>(store, rank, size, options);
}
#else
c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& /*store*/,
                                               int /*rank*/, int /*size*/) {
  throw RunError("several ranks on GPUs need NCCL: build the preset `cuda`");
}
#endif

}  // namespace epochcast::libtorch
