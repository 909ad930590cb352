// A management library with two cards, the second of which tells nothing but its name and UUID.
#include <cstdio>

extern "C" {

using Device = struct Card*;
struct Memory {
  unsigned long long total, free, used;
};

namespace {
Device card(unsigned number) {
  return reinterpret_cast<Device>(static_cast<unsigned long long>(number) + 1);
}
bool is_first(Device device) {
  return device == card(0);
}
constexpr int not_supported = 3;
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
int nvmlDeviceGetName(Device device, char* text, unsigned length) {
  std::snprintf(text, length, "%s", is_first(device) ? "Tesla T4" : "Tesla V100-SXM2-32GB");
  return 0;
}
int nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
  std::snprintf(text, length, "%s", is_first(device) ? "GPU-1111-aaaa" : "GPU-2222-bbbb");
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "550.54.15");
  return 0;
}
int nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  if (is_first(device)) {
    memory->total = 16106127360;
  }
  return is_first(device) ? 0 : not_supported;
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
int nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
  if (is_first(device)) {
    *milliwatts = 70000;
  }
  return is_first(device) ? 0 : not_supported;
}
}
