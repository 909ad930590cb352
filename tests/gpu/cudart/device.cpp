// The device that the stand-in shows, and its memory: the host's, which nothing reads as numbers.
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "tests/gpu/cudart/standin.hpp"

namespace epochcast::standin {
namespace {

constexpr std::size_t total_bytes = std::size_t{6} << 30;
constexpr int multiprocessors = 132;
constexpr int most_threads = 1024;
constexpr int shared_bytes = 49152;

std::map<const void*, std::size_t> device_blocks;
std::map<const void*, std::size_t> pinned_blocks;
std::size_t used_bytes = 0;

/// Its pages are taken when they are written, if ever.
void* mapped(std::size_t bytes) {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

int primary_context_state(int /*device*/, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return 0;
}
int driver_version() {
  return int(setting("STANDIN_DRIVER", CUDART_VERSION));
}
int driver_function() {
  return 0;
}

}  // namespace

double setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

int architecture() {
  static const int sm = int(setting("STANDIN_SM", 90));
  return sm;
}

}  // namespace epochcast::standin

using namespace epochcast::standin;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const bool is_too_old = driver_version() < CUDART_VERSION;
  *count = is_too_old ? 0 : 1;
  return is_too_old ? failed(cudaErrorInsufficientDriver) : cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int /*device*/) {
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver_version();
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned /*version*/, unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* result) {
  const bool is_state = std::strstr(symbol, "PrimaryCtxGetState") != nullptr;
  *function = is_state ? reinterpret_cast<void*>(primary_context_state)
                       : reinterpret_cast<void*>(driver_function);
  if (result != nullptr) {
    *result = cudaDriverEntryPointSuccess;
  }
  return cudaSuccess;
}
#if CUDART_VERSION < 13000
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
#endif

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  *properties = {};
  std::strcpy(properties->name, "stand-in for a GPU");
  properties->major = architecture() / 10;
  properties->minor = architecture() % 10;
  properties->totalGlobalMem = total_bytes;
  properties->multiProcessorCount = multiprocessors;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = most_threads;
  properties->maxThreadsPerMultiProcessor = 2 * most_threads;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->regsPerBlock = 65536;
  properties->sharedMemPerBlock = shared_bytes;
  properties->sharedMemPerBlockOptin = shared_bytes;
  properties->sharedMemPerMultiprocessor = 2 * shared_bytes;
  for (const int axis : {0, 1, 2}) {
    properties->maxThreadsDim[axis] = axis == 2 ? 64 : most_threads;
    properties->maxGridSize[axis] = axis == 0 ? 2147483647 : 65535;
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  static const std::map<cudaDeviceAttr, int> values{
      {cudaDevAttrMultiProcessorCount, multiprocessors},
      {cudaDevAttrMaxThreadsPerBlock, most_threads},
      {cudaDevAttrMaxThreadsPerMultiProcessor, 2 * most_threads},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMaxSharedMemoryPerBlock, shared_bytes},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_bytes},
      {cudaDevAttrMaxGridDimX, 2147483647},
      {cudaDevAttrMaxGridDimY, 65535},
      {cudaDevAttrMaxGridDimZ, 65535},
      {cudaDevAttrComputeCapabilityMajor, architecture() / 10},
      {cudaDevAttrComputeCapabilityMinor, architecture() % 10}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** block, size_t bytes) {
  const std::lock_guard lock(mutex);
  if (breaks_capture()) {
    return failed(cudaErrorStreamCaptureUnsupported);
  }
  *block = used_bytes + bytes > total_bytes ? nullptr : mapped(bytes);
  if (*block == nullptr) {
    return failed(cudaErrorMemoryAllocation);
  }
  device_blocks[*block] = bytes;
  used_bytes += bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* block) {
  {
    const std::lock_guard lock(mutex);
    if (breaks_capture()) {
      return failed(cudaErrorStreamCaptureUnsupported);
    }
  }
  wait_for_device();
  const std::lock_guard lock(mutex);
  if (const auto found = device_blocks.find(block); found != device_blocks.end()) {
    munmap(block, found->second);
    used_bytes -= found->second;
    device_blocks.erase(found);
  }
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const std::lock_guard lock(mutex);
  *total = total_bytes;
  *free = total_bytes - used_bytes;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** block, size_t bytes, unsigned /*flags*/) {
  const std::lock_guard lock(mutex);
  if (breaks_capture()) {
    return failed(cudaErrorStreamCaptureUnsupported);
  }
  *block = mapped(bytes);
  pinned_blocks[*block] = bytes;
  ++counts.pinned_blocks;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* block) {
  const std::lock_guard lock(mutex);
  if (const auto found = pinned_blocks.find(block); found != pinned_blocks.end()) {
    munmap(block, found->second);
    pinned_blocks.erase(found);
  }
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const std::lock_guard lock(mutex);
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  const auto after = pinned_blocks.upper_bound(pointer);
  if (after != pinned_blocks.begin()) {
    const auto& [start, bytes] = *std::prev(after);
    if (static_cast<const char*>(pointer) < static_cast<const char*>(start) + bytes) {
      attributes->type = cudaMemoryTypeHost;
    }
  }
  return cudaSuccess;
}

}  // extern "C"
