// A management library with two cards, the second of which tells nothing but its name and UUID.
// With FAKE_NVML_MIG the second is in two slices. That of the simulated device (tests/gpu) has
// other names, and no process but its own.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

extern "C" {

using Device = struct Card*;
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
struct ProcessUtilization {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;
};

namespace {
Device card(unsigned number) {
  return reinterpret_cast<Device>(static_cast<unsigned long long>(number) + 1);
}
bool is_first(Device device) {
  return device == card(0);
}
bool is_slice(Device device) {
  return device == card(10) || device == card(12);
}
constexpr int not_supported = 3;
#ifdef SIMULATED_CUDA
constexpr bool is_simulated = true;
#else
constexpr bool is_simulated = false;
#endif
}  // namespace

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  *device = card(index);
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  *count = is_first(device) || std::getenv("FAKE_NVML_MIG") == nullptr ? 0 : 3;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(Device /*device*/, unsigned index, Device* slice) {
  *slice = card(10 + index);
  return index == 1 ? 6 : 0;  // not found: there is a gap
}
int nvmlDeviceGetName(Device device, char* text, unsigned length) {
  const char* name = is_first(device)   ? "Tesla T4"
                     : is_slice(device) ? "NVIDIA H100 80GB HBM3 MIG 1g.10gb"
                                        : "Tesla V100-SXM2-32GB";
  std::snprintf(text, length, "%s", is_simulated ? "simulated CUDA device" : name);
  return 0;
}
int nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
  std::snprintf(text, length, "%s",
                is_first(device)     ? "GPU-1111-aaaa"
                : device == card(10) ? "MIG-3333-cccc"
                : device == card(12) ? "MIG-4444-dddd"
                                     : "GPU-2222-bbbb");
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "550.54.15");
  return 0;
}
int nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  if (is_first(device)) {
    memory->total = 16106127360;
    memory->used = 2000000000;
  }
  if (is_slice(device)) {
    memory->total = 10000000000;
    memory->used = device == card(12) ? 3000000000 : 0;
  }
  return is_first(device) || is_slice(device) ? 0 : not_supported;
}
int nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  if (is_first(device)) {
    *major = 7;
    *minor = 5;
  }
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetMaxClockInfo(Device device, int type, unsigned* clock) {
  if (is_first(device)) {
    *clock = type == 1 ? 1590 : 5001;
  }
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetUtilizationRates(Device device, Utilization* use) {
  *use = std::getenv("FAKE_NVML_IDLE") != nullptr ? Utilization{0, 0} : Utilization{85, 40};
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  *milliwatts = 65500;
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
  static unsigned long long counter = 5000;
  *millijoules = counter += 131000;
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetClockInfo(Device device, int type, unsigned* clock) {
  *clock = type == 1 ? 1500 : 5000;
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetTemperature(Device device, int /*sensor*/, unsigned* degrees) {
  *degrees = 71;
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons) {
  *reasons = 0x24;
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* list) {
  *count = is_simulated ? 1 : 2;
  list[0] = {is_simulated ? unsigned(getpid()) : 100, 1000, 0, 0};
  list[1] = {200, 1000, 0, 0};
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetProcessUtilization(Device device, ProcessUtilization* samples, unsigned* count,
                                    unsigned long long /*last_seen*/) {
  *count = 2;
  samples[0] = {100, 7, 55, 1, 0, 0};
  samples[1] = {200, 8, 30, 1, 0, 0};
  return is_first(device) ? 0 : not_supported;
}
int nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
  if (is_first(device)) {
    *milliwatts = 70000;
  }
  return is_first(device) ? 0 : not_supported;
}
}
