// In place of NCCL: Gloo on the memory of the simulated device. What the trainer opens
// (src/training/torch/base/cuda_library.hpp) is at the end.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "src/training/torch/base/cuda_library.hpp"
#include "tests/gpu/simulated_cuda/simulated.hpp"

namespace epochcast::simulated {
namespace {

/// c10d's watchdog of NCCL, unless it is told to leave errors alone, ends the process where the
/// connection to another rank breaks.
bool watchdog_ends_process() {
  const char* handling = std::getenv("TORCH_NCCL_ASYNC_ERROR_HANDLING");
  return handling == nullptr || std::string_view(handling) != "0";
}

class Nccl final : public c10d::Backend {
 public:
  Nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size) : Backend(rank, size) {
    auto options = c10d::ProcessGroupGloo::Options::create(std::chrono::minutes(2));
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("localhost"));
    gloo_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
  }
  ~Nccl() override {
    if (!is_ended_) {
      std::fputs("WARNING: destroy_process_group() was not called before program exit\n", stderr);
    }
  }
  const std::string getBackendName() const override { return "nccl"; }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override {
    return done(tensors, [&](auto& of_host) { return gloo_->allreduce(of_host, options); });
  }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override {
    return done(tensors, [&](auto& of_host) { return gloo_->broadcast(of_host, options); });
  }
  void abort() override { is_ended_ = true; }
  void shutdown() override { is_ended_ = true; }

 private:
  template <class Exchange>
  c10::intrusive_ptr<c10d::Work> done(std::vector<at::Tensor>& tensors, const Exchange& exchange) {
    std::vector<at::Tensor> of_host;
    for (const auto& tensor : tensors) {
      TORCH_CHECK(tensor.is_cuda(), "NCCL takes tensors of a GPU only");
      of_host.push_back(hosted(tensor));
    }
    try {
      exchange(of_host)->wait();
    } catch (const std::exception&) {
      if (watchdog_ends_process()) {
        std::fputs("To avoid data inconsistency, we are taking the entire process down.\n", stderr);
        std::abort();
      }
      throw;
    }
    auto future = c10::make_intrusive<c10::ivalue::Future>(
        c10::ListType::create(c10::TensorType::get()), std::vector<c10::Device>{{c10::kCUDA, 0}});
    future->markCompleted(c10::IValue(tensors));
    return c10d::Work::create_from_future(future);
  }

  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
  bool is_ended_ = false;
};

c10::intrusive_ptr<c10d::Backend> make_nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                            int size) {
  return c10::make_intrusive<Nccl>(store, rank, size);
}

std::int64_t peak_reserved_bytes(const torch::Device& /*device*/) {
  return peak_bytes();
}

}  // namespace
}  // namespace epochcast::simulated

extern "C" {
extern const epochcast::libtorch::CudaLibrary epochcast_cuda;
const epochcast::libtorch::CudaLibrary epochcast_cuda{
    .peak_reserved_bytes = epochcast::simulated::peak_reserved_bytes,
    .forget_peak = [](const torch::Device& /*device*/) {},
    .why_no_gpu = [] { return std::string("none is simulated"); },
    .nccl_backend = epochcast::simulated::make_nccl,
    .use_own_stream = [] {},
    .make_graph = epochcast::simulated::make_graph};
}
