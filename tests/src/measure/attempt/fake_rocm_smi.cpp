// A stand-in for AMD's management library with two cards; the second tells nothing but its name.
// EPOCHCAST_OLD_FREQUENCIES: as in older releases, without the flag before the frequencies.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {
constexpr int not_supported = 2;
int first_only(std::uint32_t card) {
  return card == 0 ? 0 : not_supported;
}
struct New {
  bool has_deep_sleep;
  std::uint32_t count, current;
  std::uint64_t frequency[33];
};
struct Old {
  std::uint32_t count, current;
  std::uint64_t frequency[33];
};
template <class Frequencies>
void fill(void* to, int type) {
  auto& clocks = *static_cast<Frequencies*>(to);
  clocks.count = 3;
  clocks.current = 1;
  clocks.frequency[0] = 500'000'000;
  clocks.frequency[1] = type == 0 ? 1'400'000'000 : 1'200'000'000;
  clocks.frequency[2] = type == 0 ? 1'700'000'000 : 1'600'000'000;
}
}  // namespace

extern "C" {

int rsmi_init(std::uint64_t) {
  return 0;
}
int rsmi_shut_down() {
  return 0;
}
int rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = 2;
  return 0;
}
int rsmi_dev_name_get(std::uint32_t, char* text, std::size_t length) {
  std::snprintf(text, length, "AMD Instinct MI250X");
  return 0;
}
int rsmi_version_str_get(int, char* text, std::uint32_t length) {
  std::snprintf(text, length, "6.7.0");
  return 0;
}
int rsmi_dev_unique_id_get(std::uint32_t card, std::uint64_t* id) {
  *id = 0xabc0000000000001;
  return first_only(card);
}
int rsmi_dev_memory_total_get(std::uint32_t card, int, std::uint64_t* bytes) {
  *bytes = 68702699520;
  return first_only(card);
}
int rsmi_dev_memory_usage_get(std::uint32_t card, int, std::uint64_t* bytes) {
  *bytes = 3000000000;
  return first_only(card);
}
int rsmi_dev_busy_percent_get(std::uint32_t card, std::uint32_t* percent) {
  *percent = 75;
  return first_only(card);
}
int rsmi_dev_memory_busy_percent_get(std::uint32_t card, std::uint32_t* percent) {
  *percent = 30;
  return first_only(card);
}
int rsmi_dev_power_ave_get(std::uint32_t card, std::uint32_t, std::uint64_t* microwatts) {
  *microwatts = 250'500'000;
  return first_only(card);
}
int rsmi_dev_power_cap_get(std::uint32_t card, std::uint32_t, std::uint64_t* microwatts) {
  *microwatts = 560'000'000;
  return first_only(card);
}
int rsmi_dev_temp_metric_get(std::uint32_t card, std::uint32_t sensor, int,
                             std::int64_t* millidegrees) {
  *millidegrees = 64000;
  return sensor == 1 ? not_supported : first_only(card);
}
int rsmi_dev_gpu_clk_freq_get(std::uint32_t card, int type, void* clocks) {
  if (card == 0) {
    std::getenv("EPOCHCAST_OLD_FREQUENCIES") != nullptr ? fill<Old>(clocks, type)
                                                        : fill<New>(clocks, type);
  }
  return first_only(card);
}
int rsmi_dev_energy_count_get(std::uint32_t card, std::uint64_t* counter, float* resolution,
                              std::uint64_t* time_ns) {
  static std::uint64_t value = 1000;
  *counter = value += 32'000'000;
  *resolution = 15.3F;
  *time_ns = 0;
  return first_only(card);
}

}  // extern "C"
