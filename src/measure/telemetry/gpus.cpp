#include "src/measure/telemetry/gpus.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "src/base/core/text.hpp"
#include "src/measure/telemetry/nvml.hpp"

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

bool is_one_of(const std::vector<std::string>& wanted, std::int64_t index,
               const std::string& uuid) {
  return std::ranges::any_of(wanted, [&](const std::string& text) {
    const auto name = trim(text);
    return name == std::to_string(index) || (name.starts_with("GPU-") && uuid.starts_with(name));
  });
}

bool is_own(const std::vector<int>& own, unsigned pid) {
  return std::ranges::find(own, static_cast<int>(pid)) != own.end();
}

}  // namespace

struct Gpus::Impl {
  struct Card {
    NvmlDevice device = nullptr;
    std::int64_t index = 0;
    std::string uuid;
    std::optional<double> energy_j = {};  ///< The counter at the last sample.
    unsigned long long seen_us = 0;       ///< Time of the newest sample of its processes.
  };

  explicit Impl(const std::string& library) : nvml(library) {}

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
    const double energy_j = static_cast<double>(millijoules) / 1000;
    if (card.energy_j && energy_j >= *card.energy_j) {
      row.energy_j = energy_j - *card.energy_j;
    }
    card.energy_j = energy_j;
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

  record::GpuTelemetry read(Card& card, double duration_s, const std::vector<int>& own) const {
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

Gpus::Gpus(const std::vector<std::string>& wanted, const std::string& library) {
  if (wanted.empty()) {
    return;
  }
  impl_ = std::make_unique<Impl>(library);
  unsigned count = 0;
  if (!impl_->nvml.is_open() || !impl_->nvml.call("nvmlDeviceGetCount_v2", &count)) {
    return;
  }
  for (unsigned i = 0; i < count; ++i) {
    Impl::Card card{.index = i, .uuid = ""};
    if (!impl_->nvml.call("nvmlDeviceGetHandleByIndex_v2", i, &card.device)) {
      continue;
    }
    std::array<char, 96> text{};
    if (impl_->nvml.call("nvmlDeviceGetUUID", card.device, text.data(),
                         static_cast<unsigned>(text.size()))) {
      card.uuid = text.data();
    }
    if (is_one_of(wanted, card.index, card.uuid)) {
      impl_->cards.push_back(card);
    }
  }
}

Gpus::~Gpus() = default;

bool Gpus::empty() const {
  return impl_ == nullptr || impl_->cards.empty();
}

std::vector<record::GpuTelemetry> Gpus::read(double duration_s, const std::vector<int>& own) {
  std::vector<record::GpuTelemetry> rows;
  if (!empty()) {
    for (auto& card : impl_->cards) {
      rows.push_back(impl_->read(card, duration_s, own));
    }
  }
  return rows;
}

}  // namespace epochcast::telemetry
