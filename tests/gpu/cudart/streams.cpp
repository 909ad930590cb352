// Streams, events, captures and graphs of the stand-in. Kernels do nothing and take no time; a
// replay of a graph takes STANDIN_REPLAY_MS (0), and the host waits where STANDIN_QUEUE (1000) of
// them are queued.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "tests/gpu/cudart/standin.hpp"

struct CUstream_st {
  double idle_at_s = 0;
};
struct CUevent_st {
  double at_s = 0;
  unsigned long long capture = 0;  ///< In which it was recorded; 0: in none.
};
struct CUgraph_st {};
struct CUgraphExec_st {};

namespace epochcast::standin {
namespace {

/// The one capture at a time.
struct Capture {
  cudaStream_t stream = nullptr;  ///< Null: none.
  std::thread::id thread = {};
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  unsigned long long id = 0;
  bool is_valid = true;
};

Capture capture;
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
CUstream_st default_stream;
std::set<cudaStream_t> streams{&default_stream};
std::deque<double> queue_s;  ///< When each queued replay is over.

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void wait_until(double time_s) {
  const std::chrono::duration<double> left(time_s - now_s());
  std::this_thread::sleep_for(left);
}

CUstream_st& state_of(cudaStream_t stream) {
  return stream == nullptr ? default_stream : *stream;
}

bool captures(cudaStream_t stream) {
  return stream != nullptr && capture.stream == stream;
}

cudaError_t wait_for(double time_s) {
  {
    const std::lock_guard lock(mutex);
    if (breaks_capture()) {
      return failed(cudaErrorStreamCaptureUnsupported);
    }
  }
  wait_until(time_s);
  return cudaSuccess;
}

cudaError_t query(double time_s) {
  const std::lock_guard lock(mutex);
  if (breaks_capture()) {
    return failed(cudaErrorStreamCaptureUnsupported);
  }
  return now_s() >= time_s ? cudaSuccess : failed(cudaErrorNotReady);
}

double idle_at_s() {
  const std::lock_guard lock(mutex);
  double time_s = 0;
  for (const auto* stream : streams) {
    time_s = std::max(time_s, stream->idle_at_s);
  }
  return time_s;
}

cudaError_t count_launch(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  ++counts.launches;
  counts.on_default_stream += stream == nullptr ? 1 : 0;
  counts.outside_capture += capture.stream != nullptr && capture.stream != stream ? 1 : 0;
  return cudaSuccess;
}

}  // namespace

bool breaks_capture() {
  const bool breaks = capture.stream != nullptr && capture.thread == std::this_thread::get_id() &&
                      capture.mode != cudaStreamCaptureModeRelaxed &&
                      thread_mode != cudaStreamCaptureModeRelaxed;
  capture.is_valid = capture.is_valid && !breaks;
  return breaks;
}

void wait_for_device() {
  wait_until(idle_at_s());
}

Counts::~Counts() {
  std::fprintf(
      stderr,
      "stand-in: launches %ld default %ld outside %ld crossings %ld replays %ld queued %ld "
      "pinned %ld\n",
      launches, on_default_stream, outside_capture, crossings, replays, most_queued, pinned_blocks);
}

}  // namespace epochcast::standin

using namespace epochcast::standin;

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return last_error;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/,
                                         int /*priority*/) {
  const std::lock_guard lock(mutex);
  *stream = *streams.insert(new CUstream_st).first;  // LibTorch keeps them
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return query(state_of(stream).idle_at_s);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_for(state_of(stream).idle_at_s);
}
cudaError_t cudaDeviceSynchronize() {
  return wait_for(idle_at_s());
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  const std::lock_guard lock(mutex);
  if (capture.stream != nullptr && captures(stream) != (event->capture == capture.id)) {
    ++counts.crossings;
    if (captures(stream)) {
      capture.is_valid = false;
      return failed(cudaErrorStreamCaptureIsolation);
    }
  }
  auto& state = state_of(stream);
  state.idle_at_s = std::max(state.idle_at_s, event->at_s);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned /*flags*/) {
  const std::lock_guard lock(mutex);
  event->at_s = std::max(now_s(), state_of(stream).idle_at_s);
  event->capture = captures(stream) ? capture.id : 0;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return query(event->at_s);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return wait_for(event->at_s);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  *milliseconds = float(1000 * (stop->at_s - start->at_s));
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const std::lock_guard lock(mutex);
  if (stream == nullptr || capture.stream != nullptr || setting("STANDIN_GRAPHS", 1) == 0) {
    return failed(cudaErrorStreamCaptureUnsupported);
  }
  capture = {stream, std::this_thread::get_id(), mode, capture.id + 1};
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(mutex);
  *graph = nullptr;
  if (!captures(stream)) {
    return failed(cudaErrorIllegalState);
  }
  capture.stream = nullptr;
  if (!capture.is_valid) {
    return failed(cudaErrorStreamCaptureInvalidated);
  }
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(mutex);
  *status = !captures(stream)  ? cudaStreamCaptureStatusNone
            : capture.is_valid ? cudaStreamCaptureStatusActive
                               : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** /*nodes*/,
                                     const cudaGraphEdgeData** /*edges*/, size_t* count) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** /*nodes*/, size_t* count) {
#endif
  if (id != nullptr) {
    *id = capture.id;
  }
  if (graph != nullptr) {
    *graph = nullptr;
  }
  if (count != nullptr) {
    *count = 0;
  }
  return cudaStreamIsCapturing(stream, status);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t /*graph*/, cudaGraphNode_t* /*nodes*/, size_t* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t /*graph*/,
                                          unsigned long long /*flags*/) {
  *executable = new CUgraphExec_st;
  return cudaSuccess;
}
#if CUDART_VERSION < 13000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
#endif
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t /*executable*/, cudaStream_t stream) {
  static const double replay_s = setting("STANDIN_REPLAY_MS", 0) / 1000;
  static const auto most_queued = std::size_t(setting("STANDIN_QUEUE", 1000));
  std::unique_lock lock(mutex);
  while (!queue_s.empty() && (queue_s.front() <= now_s() || queue_s.size() >= most_queued)) {
    const double over_at_s = queue_s.front();
    queue_s.pop_front();
    lock.unlock();
    wait_until(over_at_s);
    lock.lock();
  }
  auto& state = state_of(stream);
  state.idle_at_s = std::max(now_s(), state.idle_at_s) + replay_s;
  queue_s.push_back(state.idle_at_s);
  ++counts.replays;
  counts.most_queued = std::max(counts.most_queued, std::ssize(queue_s));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* /*kernel*/, dim3 /*grid*/, dim3 /*block*/,
                             void** /*arguments*/, size_t /*shared*/, cudaStream_t stream) {
  return count_launch(stream);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t /*kernel*/, dim3 /*grid*/, dim3 /*block*/,
                               void** /*arguments*/, size_t /*shared*/, cudaStream_t stream) {
  return count_launch(stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* /*kernel*/,
                                void** /*arguments*/) {
  return count_launch(configuration->stream);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* /*kernel*/) {
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->binaryVersion = attributes->ptxVersion = architecture();
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* /*kernel*/, cudaFuncAttribute /*attribute*/,
                                 int /*value*/) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* /*kernel*/, int /*threads*/, size_t /*shared*/, unsigned /*flags*/) {
  *blocks = 4;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  if (!captures(stream)) {
    std::memcpy(to, from, bytes);
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/) {
  const auto waited = wait_for(idle_at_s());
  return waited == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, nullptr)
                               : waited;
}
cudaError_t cudaMemsetAsync(void* block, int value, size_t bytes, cudaStream_t stream) {
  if (!captures(stream)) {
    std::memset(block, value, bytes);
  }
  return cudaSuccess;
}

}  // extern "C"
