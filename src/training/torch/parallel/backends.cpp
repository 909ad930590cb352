#include "src/training/torch/parallel/backends.hpp"

#include <cstdlib>

#include "src/base/core/error.hpp"
#include "src/training/torch/base/cuda_library.hpp"

namespace epochcast::libtorch {

c10::intrusive_ptr<c10d::Backend> gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size, const std::string& address) {
  using Gloo = c10d::ProcessGroupGloo;
  auto options = Gloo::Options::create(exchange_patience);
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  options->devices.push_back(interface == nullptr ? Gloo::createDeviceForHostname(address)
                                                  : Gloo::createDeviceForInterface(interface));
  return c10::make_intrusive<Gloo>(store, rank, size, options);
}

c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int size) {
  const auto make = cuda_library().nccl_backend;
  if (make == nullptr) {
    throw RunError("several ranks on GPUs need NCCL: build the trainer where NCCL's headers are");
  }
  return make(store, rank, size);
}

}  // namespace epochcast::libtorch
