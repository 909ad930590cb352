// A stand-in for CUDA's runtime, put before the real one by LD_PRELOAD, so that the real LibTorch
// for CUDA runs on a machine without a GPU (README.md beside this folder). What it does not define
// is the real runtime's.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>

namespace epochcast::standin {

/// The number in an environment variable.
double setting(const char* name, double otherwise);
/// The compute capability times 10: STANDIN_SM.
int architecture();

/// What the next cudaGetLastError() of this thread gives.
inline thread_local cudaError_t last_error = cudaSuccess;
inline cudaError_t failed(cudaError_t error) {
  last_error = error;
  return error;
}

/// Of all that follows; not held while the host waits for the device.
inline std::mutex mutex;

/// Told on standard error at the end of the process.
struct Counts {
  long launches = 0;
  long on_default_stream = 0;
  long outside_capture = 0;  ///< Into another stream, while one captures.
  long crossings = 0;        ///< Waits across the border of a capture.
  long replays = 0;
  long most_queued = 0;  ///< Replays that the device had not done.
  long pinned_blocks = 0;
  ~Counts();
};
inline Counts counts;

/// Whether this thread may not call what waits or takes memory, because it captures. If so, the
/// capture is invalid from now on. Needs the mutex.
bool breaks_capture();
/// Waits until all streams are idle.
void wait_for_device();

}  // namespace epochcast::standin
