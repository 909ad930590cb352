// The device of a workload: opening it, moving data to it, timing steps on it, and reporting its
// errors in one line.
#pragma once

#include <c10/core/Event.h>

#include <deque>
#include <string>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/training/loop/workload.hpp"
#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Records an event in the current stream of `device`, which must not be a CPU.
c10::Event event_on(const torch::Device& device);

struct DeviceSpan {
  c10::Event start;
  c10::Event stop;

  /// Whether both events have passed; never waits.
  bool is_over() const { return start.query() && stop.query(); }
  /// The length of the span in seconds. Call it only after the span is over.
  double seconds() const { return start.elapsedTime(stop) / 1000; }
};

/// Opens the device `name`, "cpu" or "cuda". Throws RunError if LibTorch has no CUDA, if no GPU is
/// visible, or if the GPU cannot compute. Never falls back silently to the CPU.
torch::Device open_device(const std::string& name);

/// Sets the number of threads of LibTorch's operators. The first call in a process also keeps
/// LibTorch from creating a second thread pool.
void set_threads(int threads);

/// Peak memory in bytes that LibTorch has reserved on `device` so far, including memory that it
/// keeps for later use; 0 for a CPU.
std::int64_t peak_device_memory_bytes(const torch::Device& device);

/// The most memory that LibTorch has reserved on a device, without that of the first three steps if
/// cuDNN tries kernels in them: with workspaces that the training does not need.
class PeakMemory {
 public:
  PeakMemory(const torch::Device& device, bool tries_kernels)
      : device_(device), steps_with_trials_(device.is_cuda() && tries_kernels ? 3 : 0) {}
  /// Called after each step.
  void count_step();
  std::int64_t bytes() const { return peak_device_memory_bytes(device_); }
  /// Of the steps with trials; 0: there were none, or they go on.
  std::int64_t of_trials_bytes() const { return of_trials_bytes_; }

 private:
  torch::Device device_;
  int steps_with_trials_;
  std::int64_t of_trials_bytes_ = 0;
};

/// Keeps glibc from returning the blocks of large tensors to the kernel after every step and
/// requesting them again page by page.
void keep_freed_memory();

/// From now on glibc maps each block of 1 MiB or more by itself, so that the kernel has it back
/// once it is freed. Otherwise the blocks of a network that is loaded and changed leave holes that
/// no later block fits, and how many depends on chance.
void map_large_blocks();

/// Returns all memory that is freed but kept to the kernel.
void return_freed_memory();

/// Copies `tensor` from the host to `device`. The optimized procedure copies through pinned memory
/// and does not wait for the device.
torch::Tensor to_device(const torch::Tensor& tensor, const torch::Device& device,
                        Procedure procedure);

/// Times steps by events in the device's own stream. The events are read after they have passed.
/// Does nothing on a CPU.
class StepTimer {
 public:
  explicit StepTimer(const torch::Device& device) : device_(device) {}
  void start();
  /// `exchanges`: the spans in which the step, in its stream, waited for other ranks.
  void stop(std::vector<DeviceSpan> exchanges = {});
  /// The times of the steps that have finished since the last call. stop() numbers the steps from
  /// 0. Called after each step, it keeps the host from running more than two steps ahead of the
  /// device: a stop would wait for all that is queued, and each queued step keeps its batch.
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

/// Throws RunError, or OutOfMemory, with the first line of LibTorch's message. The rest of the
/// message is a stack trace.
[[noreturn]] void throw_as_run_error(const c10::Error& error);

/// Runs `body`. Exceptions of LibTorch become a RunError with a message of one line.
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
