// CUDA graphs of the simulated device: a capture keeps every operator and copy with the addresses
// that it works on, puts back what they changed, and a replay computes them again. As on a GPU, a
// tensor from before the capture is only an address: who frees it has a graph that reads what
// comes to lie there. What waits, pins memory or reads numbers of the host is refused.
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/from_blob.h>

#include <thread>
#include <utility>

#include "src/training/torch/base/cuda_library.hpp"
#include "tests/gpu/simulated_cuda/simulated.hpp"

namespace epochcast::simulated {
namespace {

/// What is being captured, by one thread at a time; backward passes add to it from another.
struct Capture {
  std::thread::id thread;
  std::vector<std::function<void()>> work;
};
std::atomic<Capture*>& capture() {
  static std::atomic<Capture*> current = nullptr;
  return current;
}

class Graph final : public libtorch::StepGraph {
 public:
  void capture(const std::function<void()>& body) override {
    TORCH_CHECK(setting("SIMULATED_CUDA_GRAPHS", 1) != 0, "CUDA error: operation not supported");
    Capture now{std::this_thread::get_id(), {}};
    const auto numbers = device_numbers().get_state();
    const auto memory = begin_capture_of_memory();
    simulated::capture() = &now;
    const auto end = [&] {
      simulated::capture() = nullptr;
      end_capture_of_memory(memory);
      device_numbers().set_state(numbers);
    };
    try {
      body();
    } catch (...) {
      end();
      throw;
    }
    end();
    work_ = std::move(now.work);
  }

  void replay() override {
    ++counts().replays;
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    for (const auto& work : work_) {
      work();
    }
  }

 private:
  std::vector<std::function<void()>> work_;
};

}  // namespace

bool is_capturing() {
  return capture() != nullptr;
}

void refuse_in_capture(const char* what, bool of_any_thread) {
  const auto* now = capture().load();
  TORCH_CHECK(now == nullptr || (!of_any_thread && now->thread != std::this_thread::get_id()),
              "CUDA error: operation not permitted when stream is capturing (", what, ")");
}

void add_to_graph(std::function<void()> work) {
  capture().load()->work.push_back(std::move(work));
}

at::Tensor as_in_graph(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda() || tensor.storage().nbytes() == 0) {
    return tensor;
  }
  if (is_of_capture(tensor.storage().data())) {
    return at::Tensor(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(
        /*version_counter=*/0, /*allow_tensor_metadata_change=*/true));
  }
  auto* first = static_cast<char*>(tensor.storage().mutable_data()) +
                tensor.storage_offset() * std::int64_t(tensor.element_size());
  return at::from_blob(first, tensor.sizes(), tensor.strides(),
                       tensor.options().requires_grad(false));
}

std::unique_ptr<libtorch::StepGraph> make_graph(const libtorch::StepGraph* /*beside*/) {
  return std::make_unique<Graph>();
}

}  // namespace epochcast::simulated
