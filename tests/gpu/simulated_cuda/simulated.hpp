// A CUDA device simulated on the CPU (tests/gpu/README.md): what its parts know of each other.
#pragma once

#include <ATen/ATen.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace epochcast::libtorch {
class StepGraph;
}

namespace epochcast::simulated {

/// A number of the environment.
std::int64_t setting(const char* name, std::int64_t otherwise);

/// How many GPUs this process sees: of SIMULATED_CUDA_GPUS (2), those of CUDA_VISIBLE_DEVICES.
int visible_gpus();

// memory.cpp

c10::Allocator& device_memory();
c10::Allocator& pinned_memory();
bool is_pinned(const void* address);
/// Where the host can read and write what is at this address of the device.
void* on_host(const void* device);
std::int64_t peak_bytes();
/// What all memory holds; from now on what is taken belongs to the capture.
std::vector<char> begin_capture_of_memory();
/// Puts it back.
void end_capture_of_memory(const std::vector<char>& before);
/// Whether this block was taken in the present capture.
bool is_of_capture(const void* block);

// guard.cpp

/// The device is busy from now on for as long as an event takes to pass.
void begin_work();
/// Returns when the device is idle.
void wait_for_all();
/// The random numbers of the device: those of a generator of the CPU, apart from the default one.
at::Generator& device_numbers();

// graph.cpp

bool is_capturing();
/// Throws if a step is being captured, by this thread or `of_any_thread`.
void refuse_in_capture(const char* what, bool of_any_thread = true);
/// What each replay does.
void add_to_graph(std::function<void()> work);
/// The tensor for a replay: only an address if it was there before the capture.
at::Tensor as_in_graph(const at::Tensor& tensor);
std::unique_ptr<libtorch::StepGraph> make_graph(const libtorch::StepGraph* beside);

// tensors.cpp

/// What a GPU would have done. SIMULATED_CUDA_LOG=1 prints it when the process ends, 2 also each
/// wait as it comes.
struct Counts {
  std::atomic<long> operators, copies, items, to_host, to_device_waiting, to_device, unpinned,
      replays;
  ~Counts();
};
Counts& counts();
std::int64_t log_level();
void tell_wait(const char* what, const at::Tensor& tensor);

/// A tensor of the device with the values of one of the host.
at::Tensor new_like(const at::Tensor& of_host);
/// The same tensor, for the host.
at::Tensor hosted(const at::Tensor& tensor);

}  // namespace epochcast::simulated
