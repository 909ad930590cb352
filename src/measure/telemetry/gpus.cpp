#include "src/measure/telemetry/gpus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/telemetry/nvml.hpp"
#include "src/measure/telemetry/rocm_smi.hpp"

namespace epochcast::telemetry {
namespace {

// As in nvml.h.
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

constexpr unsigned most_processes = 128;

/// `index`: nothing if only its UUID names it.
bool is_one_of(const std::vector<std::string>& wanted, std::optional<std::int64_t> index,
               const std::string& uuid) {
  return std::ranges::any_of(wanted, [&](const std::string& text) {
    const auto name = trim(text);
    return (index && name == std::to_string(*index)) ||
           ((name.starts_with("GPU-") || name.starts_with("MIG-")) && uuid.starts_with(name));
  });
}

/// Since the last reading of a counter, which is now `now_j`; not measured at the first one, and
/// where the counter began again.
double energy_since(std::optional<double>& last_j, double now_j) {
  const auto before_j = std::exchange(last_j, now_j);
  return before_j && now_j >= *before_j ? now_j - *before_j : record::not_measured;
}

bool is_own(const std::vector<int>& own, unsigned pid) {
  return std::ranges::find(own, static_cast<int>(pid)) != own.end();
}

}  // namespace

struct Gpus::Impl {
  virtual ~Impl() = default;
  virtual bool empty() const = 0;
  virtual std::vector<record::GpuTelemetry> read(double duration_s,
                                                 const std::vector<int>& own) = 0;
};

namespace {

class NvidiaGpus : public Gpus::Impl {
 public:
  NvidiaGpus(const std::vector<std::string>& wanted, const std::string& library);

  bool empty() const override { return cards.empty(); }
  std::vector<record::GpuTelemetry> read(double duration_s, const std::vector<int>& own) override {
    std::vector<record::GpuTelemetry> rows;
    for (auto& card : cards) {
      rows.push_back(read_card(card, duration_s, own));
    }
    return rows;
  }

 private:
  struct Card {
    NvmlDevice device = nullptr;
    std::int64_t index = 0;
    std::string uuid;
    std::optional<double> energy_j = {};  ///< The counter at the last sample.
    unsigned long long seen_us = 0;       ///< Time of the newest sample of its processes.
  };

  Nvml nvml;
  std::vector<Card> cards = {};

  /// The result of a function with one unsigned output, times `unit`.
  template <class... Arguments>
  double number(const char* function, double unit, Arguments... arguments) const {
    unsigned value = 0;
    return nvml.call(function, arguments..., &value) ? value * unit : record::not_measured;
  }

  void read_energy(Card& card, record::GpuTelemetry& row) const {
    unsigned long long millijoules = 0;
    if (!nvml.call("nvmlDeviceGetTotalEnergyConsumption", card.device, &millijoules)) {
      row.energy_j = row.power_w * row.duration_s;  // cards before Volta have no counter
      return;
    }
    row.energy_j = energy_since(card.energy_j, static_cast<double>(millijoules) / 1000);
  }

  /// In a container, the driver gives the numbers of the host's processes: if none is known, one of
  /// them is this run, and nobody can say which.
  void read_processes(Card& card, const std::vector<int>& own, record::GpuTelemetry& row) const {
    std::array<ProcessInfo, most_processes> processes{};
    unsigned count = most_processes;
    if (!nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", card.device, &count,
                   processes.data())) {
      return;
    }
    const auto ours = std::count_if(processes.begin(), processes.begin() + count,
                                    [&](const auto& process) { return is_own(own, process.pid); });
    const auto others = std::int64_t{count} - std::max<std::int64_t>(ours, count > 0 ? 1 : 0);
    row.other_processes = static_cast<double>(others);
    if (others == 0) {
      row.other_use = 0;
    } else if (ours > 0) {
      read_other_use(card, own, row);
    }
  }

  void read_other_use(Card& card, const std::vector<int>& own, record::GpuTelemetry& row) const {
    std::array<ProcessUtilization, most_processes> samples{};
    unsigned count = most_processes;
    if (!nvml.call("nvmlDeviceGetProcessUtilization", card.device, samples.data(), &count,
                   card.seen_us)) {
      return;
    }
    double percent = 0;
    for (unsigned i = 0; i < std::min(count, most_processes); ++i) {
      card.seen_us = std::max(card.seen_us, samples.at(i).time_us);
      percent += is_own(own, samples.at(i).pid) ? 0 : samples.at(i).sm;
    }
    row.other_use = std::min(1.0, percent / 100);
  }

  record::GpuTelemetry read_card(Card& card, double duration_s, const std::vector<int>& own) const {
    record::GpuTelemetry row{.duration_s = duration_s, .gpu = card.index, .uuid = card.uuid};
    if (Utilization use{}; nvml.call("nvmlDeviceGetUtilizationRates", card.device, &use)) {
      row.use = use.gpu / 100.0;
      row.memory_use = use.memory / 100.0;
    }
    if (NvmlMemory memory{}; nvml.call("nvmlDeviceGetMemoryInfo", card.device, &memory)) {
      row.memory_bytes = static_cast<double>(memory.used);
    }
    row.power_w = number("nvmlDeviceGetPowerUsage", 1e-3, card.device);
    row.clock_mhz = number("nvmlDeviceGetClockInfo", 1, card.device, nvml_clock_sm);
    row.memory_clock_mhz = number("nvmlDeviceGetClockInfo", 1, card.device, nvml_clock_memory);
    constexpr unsigned sensor_of_gpu = 0;
    row.temperature_c = number("nvmlDeviceGetTemperature", 1, card.device, sensor_of_gpu);
    unsigned long long reasons = 0;
    if (nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", card.device, &reasons)) {
      row.throttle_reasons = static_cast<std::int64_t>(reasons);
    }
    read_energy(card, row);
    read_processes(card, own, row);
    return row;
  }
};

NvidiaGpus::NvidiaGpus(const std::vector<std::string>& wanted, const std::string& library)
    : nvml(library) {
  for (const auto& [device, index, only_by_uuid] : cuda_devices(nvml)) {
    Card card{.device = device, .index = index, .uuid = ""};
    std::array<char, 96> text{};
    if (nvml.call("nvmlDeviceGetUUID", card.device, text.data(),
                  static_cast<unsigned>(text.size()))) {
      card.uuid = text.data();
    }
    if (is_one_of(wanted, only_by_uuid ? std::nullopt : std::optional(card.index), card.uuid)) {
      cards.push_back(card);
    }
  }
}

/// Without other processes: the layout of ROCm's list of processes differs between its releases.
class AmdGpus : public Gpus::Impl {
 public:
  AmdGpus(const std::vector<std::string>& wanted, const std::vector<std::string>& libraries)
      : smi_(libraries) {
    for (std::uint32_t i = 0; smi_.is_open() && i < smi_.cards(); ++i) {
      if (Card card{.index = i, .uuid = smi_.uuid(i)}; is_one_of(wanted, i, card.uuid)) {
        cards_.push_back(card);
      }
    }
  }

  bool empty() const override { return cards_.empty(); }
  std::vector<record::GpuTelemetry> read(double duration_s,
                                         const std::vector<int>& /*own*/) override {
    std::vector<record::GpuTelemetry> rows;
    for (auto& card : cards_) {
      rows.push_back(read_card(card, duration_s));
    }
    return rows;
  }

 private:
  struct Card {
    std::uint32_t index = 0;
    std::string uuid;
    std::optional<double> energy_j = {};
  };

  record::GpuTelemetry read_card(Card& card, double duration_s) const {
    const auto index = card.index;
    const auto number = [&]<class Value>(Value /*type*/, const char* name, double unit,
                                         auto... arguments) {
      return smi_.number<Value>(record::not_measured, name, unit, index, arguments...);
    };
    constexpr std::uint32_t u32 = 0;
    constexpr std::uint64_t u64 = 0;
    record::GpuTelemetry row{.duration_s = duration_s, .gpu = index, .uuid = card.uuid};
    row.use = number(u32, "rsmi_dev_busy_percent_get", 0.01);
    row.memory_use = number(u32, "rsmi_dev_memory_busy_percent_get", 0.01);
    constexpr std::int32_t vram = 0;
    row.memory_bytes = number(u64, "rsmi_dev_memory_usage_get", 1, vram);
    std::uint64_t microwatts = 0;
    std::int32_t kind = 0;
    if (smi_.call("rsmi_dev_power_get", index, &microwatts, &kind)) {
      row.power_w = static_cast<double>(microwatts) * 1e-6;
    } else {
      row.power_w = number(u64, "rsmi_dev_power_ave_get", 1e-6, u32);
    }
    constexpr std::int32_t current = 0;
    for (const std::uint32_t sensor : {1U, 0U}) {  // junction; edge, which newer cards lack
      if (std::isnan(row.temperature_c)) {
        row.temperature_c =
            number(std::int64_t{0}, "rsmi_dev_temp_metric_get", 1e-3, sensor, current);
      }
    }
    const auto mhz = [&](RocmSmi::Clock type) {
      const auto clock = smi_.clock(index, type);
      return clock.current_hz > 0 ? clock.current_hz * 1e-6 : record::not_measured;
    };
    row.clock_mhz = mhz(RocmSmi::system_clock);
    row.memory_clock_mhz = mhz(RocmSmi::memory_clock);
    read_energy(card, row);
    return row;
  }

  void read_energy(Card& card, record::GpuTelemetry& row) const {
    std::uint64_t counter = 0;
    std::uint64_t time_ns = 0;
    float resolution_uj = 0;
    if (!smi_.call("rsmi_dev_energy_count_get", card.index, &counter, &resolution_uj, &time_ns)) {
      row.energy_j = row.power_w * row.duration_s;
      return;
    }
    row.energy_j = energy_since(card.energy_j, static_cast<double>(counter) * resolution_uj * 1e-6);
  }

  RocmSmi smi_;
  std::vector<Card> cards_;
};

}  // namespace

Gpus::Gpus(const std::vector<std::string>& wanted, const std::string& nvml,
           const std::vector<std::string>& rocm_smi) {
  if (!wanted.empty()) {
    impl_ = std::make_unique<NvidiaGpus>(wanted, nvml);
    if (impl_->empty()) {
      impl_ = std::make_unique<AmdGpus>(wanted, rocm_smi);
    }
  }
}

Gpus::~Gpus() = default;

bool Gpus::empty() const {
  return impl_ == nullptr || impl_->empty();
}

std::vector<record::GpuTelemetry> Gpus::read(double duration_s, const std::vector<int>& own) {
  return empty() ? std::vector<record::GpuTelemetry>() : impl_->read(duration_s, own);
}

}  // namespace epochcast::telemetry
