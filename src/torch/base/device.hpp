// The device under a workload: opening it, moving data to it, timing steps on it, and its errors as
// one line.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "src/core/error.hpp"
#include "src/torch/base/device_span.hpp"
#include "src/torch/base/named_tensors.hpp"
#include "src/torch/base/procedure.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

/// "cpu" or "cuda". Throws RunError where LibTorch has no CUDA, no GPU is visible, or the GPU
/// refuses to compute: never a silent CPU.
torch::Device open_device(const std::string& name);

/// Sets the threads of LibTorch's operators; the first call in a process also stops it from making
/// a second pool.
void set_threads(int threads);

/// The most memory that LibTorch has taken from `device` so far, what it keeps for later included;
/// 0 of a CPU.
std::int64_t peak_device_memory_bytes(const torch::Device& device);

/// Keeps glibc from handing the blocks of large tensors back to the kernel after every step and
/// getting them again page by page.
void keep_freed_memory();

/// `tensor`, on the host, on `device`. The fast way goes by pinned memory and does not wait for the
/// device.
torch::Tensor to_device(const torch::Tensor& tensor, const torch::Device& device,
                        Procedure procedure);

/// Times steps by events in the device's own stream, read when they have passed. Does nothing on a
/// CPU.
class StepTimer {
 public:
  explicit StepTimer(const torch::Device& device) : device_(device) {}
  void start();
  /// `exchanges`: when the step, in its stream, waited for other ranks.
  void stop(std::vector<DeviceSpan> exchanges = {});
  /// Those that have passed since the last call, numbered from 0 by stop(); never waits.
  std::vector<train::DeviceTime> take();

 private:
  struct Pending {
    std::int64_t iteration;
    DeviceSpan step;
    std::vector<DeviceSpan> exchanges;
    bool is_over() const;
  };

  torch::Device device_;
  std::optional<c10::Event> started_;
  std::deque<Pending> pending_;
  std::int64_t steps_ = 0;
};

/// Throws the first line of LibTorch's text, which goes on with a stack trace, as a RunError, or as
/// OutOfMemory.
[[noreturn]] void throw_as_run_error(const c10::Error& error);

/// Runs `body`; what LibTorch throws becomes a RunError of one line.
template <class Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const c10::Error& error) {
    throw_as_run_error(error);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("out of memory on the host");
  }
}

}  // namespace epochcast::libtorch
