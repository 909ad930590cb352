#include "analysis/predict/device_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "src/base/core/text.hpp"
#include "src/forecast/scaling/bottleneck.hpp"

namespace epochcast::analysis {
namespace {

std::vector<forecast::BatchTime> times_on(const std::string& device,
                                          const std::vector<const DeviceCase*>& cases) {
  std::vector<forecast::BatchTime> times;
  for (const auto* one : cases) {
    if (one->has(device) && one->measured.batch > 0) {
      times.push_back({one->measured.batch, one->time_s.at(device)});
    }
  }
  return times;
}

/// At least as good in arithmetic and memory, and better in one of them.
bool outclasses(const device::Device* better, const device::Device* worse) {
  if (better == nullptr || worse == nullptr) {
    return false;
  }
  const auto& a = better->figures;
  const auto& b = worse->figures;
  return a.fp32_tflops.value > b.fp32_tflops.value &&
         a.bandwidth_gb_s.value > b.bandwidth_gb_s.value && b.fp32_tflops.known() &&
         b.bandwidth_gb_s.known();
}

/// The first pair of devices of which the better is the slower on most of `cases`.
std::optional<std::string> better_is_slower(const std::vector<const DeviceCase*>& cases,
                                            const KnownDevices& known_devices) {
  for (const auto& [better, good] : known_devices) {
    for (const auto& [worse, bad] : known_devices) {
      if (!outclasses(good, bad)) {
        continue;
      }
      std::size_t both = 0;
      std::size_t slower = 0;
      for (const auto* one : cases) {
        if (one->has(better) && one->has(worse)) {
          ++both;
          slower += one->time_s.at(better) > one->time_s.at(worse) ? 1 : 0;
        }
      }
      if (2 * slower > both) {
        return fmt::format("at other batch sizes {} is slower than {}", better, worse);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

device::MeasuredWork DeviceCase::on(const std::string& device) const {
  auto work = measured;
  work.time_s = time_s.at(device);
  work.batch = measured.any_batch ? batch.at(device) : measured.batch;
  return work;
}

DeviceTimes::DeviceTimes(const std::vector<Timing>& timings) {
  using Key = std::tuple<std::string, double, std::string>;
  std::map<Key, std::map<std::string, std::vector<double>>> times;
  std::map<Key, DeviceCase> cases;
  std::set<std::string> devices;
  for (const auto& timing : timings) {
    const auto& measured = timing.measured;
    const Key key{measured.workload, measured.any_batch ? 0 : measured.batch, measured.precision};
    auto& one = cases.try_emplace(key, DeviceCase{.measured = measured}).first->second;
    one.batch[timing.device] = measured.batch;
    times[key][timing.device].push_back(measured.time_s);
    devices.insert(timing.device);
  }
  for (const auto& [key, by_device] : times) {
    auto& one = cases_.emplace_back(std::move(cases.at(key)));
    one.measured.batch = std::get<double>(key);
    one.measured.time_s = 0;
    for (const auto& [device, repeats] : by_device) {
      double sum = 0;
      for (const double time_s : repeats) {
        sum += time_s;
      }
      one.time_s[device] = sum / static_cast<double>(repeats.size());
    }
  }
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    sweeps_[{cases_[i].measured.workload, cases_[i].measured.precision}].push_back(i);
  }
  devices_.assign(devices.begin(), devices.end());
}

std::vector<device::Reference> DeviceTimes::references(const std::string& from,
                                                       const std::string& to,
                                                       const DeviceCase& asked,
                                                       bool other_workloads,
                                                       const KnownDevices& known_devices) const {
  std::vector<device::Reference> references;
  for (const auto& one : cases_) {
    const bool excluded =
        other_workloads ? one.measured.workload == asked.measured.workload : &one == &asked;
    if (!excluded && one.has(from) && one.has(to) &&
        !not_device_bound(from, to, one, known_devices, &asked)) {
      references.push_back({one.on(from), one.time_s.at(to) / one.time_s.at(from)});
    }
  }
  return references;
}

DeviceTimes::Cases DeviceTimes::others_of(const DeviceCase& asked, const DeviceCase* hidden) const {
  Cases others;
  for (const auto i : sweeps_.at({asked.measured.workload, asked.measured.precision})) {
    if (&cases_[i] != &asked && &cases_[i] != hidden) {
      others.push_back(&cases_[i]);
    }
  }
  return others;
}

std::optional<std::string> DeviceTimes::not_device_bound(const std::string& from,
                                                         const std::string& to,
                                                         const DeviceCase& asked,
                                                         const KnownDevices& known_devices,
                                                         const DeviceCase* hidden) const {
  const auto others = others_of(asked, hidden);
  const double batch = asked.measured.batch;
  auto on_source = times_on(from, others);
  if (batch > 0 && asked.has(from)) {
    on_source.push_back({batch, asked.time_s.at(from)});
  }
  if (const auto why = epochcast::forecast::not_device_bound(on_source, batch)) {
    return from + ": " + *why;
  }
  if (const auto why = epochcast::forecast::not_device_bound(times_on(to, others), batch)) {
    return to + ": " + *why;
  }
  return better_is_slower(others, known_devices);
}

}  // namespace epochcast::analysis
