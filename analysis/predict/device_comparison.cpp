#include "analysis/predict/device_comparison.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/records/record_metrics.hpp"
#include "src/forecast/device/match.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::analysis {
namespace {

std::optional<double> median(const std::vector<double>& values) {
  const auto summary = summarize(values);
  return summary ? std::optional(summary->median) : std::nullopt;
}

const std::vector<double>& times_of(const SettingTime& time, bool totals) {
  return totals ? time.totals_s : time.steps_s;
}

/// The device of the device database that a record ran on; nullptr: a CPU, or none of them.
const device::Device* known_devices(const record::Record& record,
                                    const std::vector<device::Device>& database) {
  if (!used_gpu(record)) {
    return nullptr;
  }
  const auto taken_as = record::parameter(record, "taken_as");
  return taken_as.empty() ? device::match_device(database, gpu_of(record)).device
                          : &device::find_device(database, taken_as);
}

/// Everything that is computed but for the batch: works that differ in nothing else are the same
/// workload at another batch size.
std::string workload_of(const WorkloadKey& work) {
  std::string text;
  for (const auto& [name, value] : work.parameters) {
    text += name == "batch" ? "" : name + "=" + value + ";";
  }
  return text;
}

}  // namespace

std::optional<double> SettingTime::total_s() const {
  return median(totals_s);
}

std::optional<double> SettingTime::samples_per_s() const {
  const auto total = total_s();
  const auto time_s = total ? total : median(steps_s);
  const double samples = total ? samples_of_total : samples_of_step;
  return time_s && samples > 0 ? std::optional(samples / *time_s) : std::nullopt;
}

DeviceComparison::DeviceComparison(AcrossDevices grid,
                                   std::map<const record::Record*, RecordedStep> steps,
                                   const std::vector<device::Device>& database)
    : grid_(std::move(grid)),
      steps_(std::move(steps)),
      catalogue_(database),
      devices_(grid_.settings.size()) {
  for (std::size_t setting = 0; setting < grid_.settings.size(); ++setting) {
    std::vector<std::vector<double>> repeats;
    for (const auto& work : grid_.works) {
      const auto measured = time(work, setting);
      repeats.push_back(times_of(measured, !measured.totals_s.empty()));
      if (!work.runs[setting].empty()) {
        devices_[setting] = known_devices(*work.runs[setting].front(), catalogue_);
      }
    }
    scatters_.push_back(pooled_scatter(repeats));
  }
}

SettingTime DeviceComparison::time(const WorkloadKey& work, std::size_t setting) const {
  SettingTime time;
  bool all_whole = true;
  for (const auto* run : work.runs[setting]) {
    const auto step = steps_.find(run);
    if (step == steps_.end()) {
      time.out_of_memory = true;
      continue;
    }
    const auto total_s = total_training_s(*run);
    all_whole = all_whole && total_s && *total_s > 0;
    time.totals_s.push_back(total_s.value_or(0));
    time.steps_s.push_back(step->second.measured.time_s);
    time.samples_of_total = samples_of_training(*run);
    time.samples_of_step = samples_per_step(*run);
  }
  if (!all_whole) {
    time.totals_s.clear();
  }
  return time;
}

std::optional<TimeRatio> DeviceComparison::ratio(const WorkloadKey& work,
                                                 const SettingPair& pair) const {
  const auto first = time(work, pair.first);
  const auto second = time(work, pair.second);
  if (!first.measured() || !second.measured()) {
    return std::nullopt;
  }
  const bool totals = !first.totals_s.empty() && !second.totals_s.empty();
  const auto& first_s = times_of(first, totals);
  const auto& second_s = times_of(second, totals);
  TimeRatio ratio{*median(first_s) / *median(second_s), {}, {}};
  const auto& one = scatters_[pair.first];
  const auto& other = scatters_[pair.second];
  if (one && other) {
    const double width =
        forecast::student_half_width(0.95, std::min(one->freedom, other->freedom)) *
        std::hypot(one->deviation / median_gain(first_s.size()),
                   other->deviation / median_gain(second_s.size()));
    ratio.low_95 = ratio.value * std::exp(-width);
    ratio.high_95 = ratio.value * std::exp(width);
  }
  return ratio;
}

/// Under the name that the work has on every setting. A GPU may compute in another precision than
/// a CPU; what was asked for is the same, so the work goes by the precision of its first setting.
std::optional<RecordedStep> DeviceComparison::step_of(const WorkloadKey& work,
                                                      const record::Record* run) const {
  const auto found = steps_.find(run);
  if (found == steps_.end()) {
    return std::nullopt;
  }
  auto step = found->second;
  const auto& counted = work.example().work;
  step.measured.workload = workload_of(work);
  step.measured.precision = counted.empty() ? "" : counted.front().precision.str();
  return step;
}

DeviceTimes DeviceComparison::times_on(const WorkloadKey& like, const SettingPair& pair) const {
  std::vector<Timing> timings;
  for (const auto& work : grid_.works) {
    if (work.by != like.by || work.source != like.source) {
      continue;
    }
    for (const auto setting : {pair.first, pair.second}) {
      for (const auto* run : work.runs[setting]) {
        if (const auto step = step_of(work, run)) {
          timings.push_back({step->measured, grid_.settings[setting].label});
        }
      }
    }
  }
  return DeviceTimes(timings);
}

std::optional<OnDevice> DeviceComparison::forecast(const WorkloadKey& work,
                                                   const SettingPair& pair) const {
  for (const auto* run : work.runs[pair.first]) {
    if (const auto step = step_of(work, run)) {
      const auto& from = grid_.settings[pair.first].label;
      const auto& to = grid_.settings[pair.second].label;
      return time_on_device(
          *step, times_on(work, pair),
          {.from = from,
           .to = to,
           .known_devices = {{from, devices_[pair.first]}, {to, devices_[pair.second]}},
           .database = &catalogue_});
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::analysis
