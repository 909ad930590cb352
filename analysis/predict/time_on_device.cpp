#include "analysis/predict/time_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/error.hpp"
#include "src/forecast/device/match.hpp"

namespace epochcast::analysis {
namespace {

/// The times of the two devices asked for, under their names in the device database, and the
/// record's own.
DeviceTimes times_of(const OnDeviceQuestion& question, const device::MeasuredWork& measured) {
  std::vector<Timing> timings;
  for (auto timing : question.history) {
    const auto* device = device::match_device(*question.database, {.name = timing.device}).device;
    if (device == question.from || device == question.to) {
      timing.device = device->name;
      timings.push_back(std::move(timing));
    }
  }
  auto& own = timings.emplace_back();
  own.measured = measured;
  own.device = question.from->name;
  return DeviceTimes(timings);
}

const DeviceCase& case_of(const DeviceTimes& times, const device::MeasuredWork& measured) {
  for (const auto& one : times.cases()) {
    if (one.measured.workload == measured.workload && one.measured.batch == measured.batch &&
        one.measured.precision == measured.precision) {
      return one;
    }
  }
  throw std::logic_error("time_on_device: the record's own time is missing");
}

/// How far the step's time lies from `there_s` where the ratio is off by e^width and the host by
/// its own uncertainty, which have nothing to do with each other.
double distance_s(const forecast::StepParts& parts, double there_s, double ratio, double width) {
  const double by_device = forecast::step_on_device_s(parts, ratio * std::exp(width), 1) - there_s;
  return std::hypot(by_device, host_uncertainty * parts.host_s);
}

}  // namespace

forecast::Prediction with_host_uncertainty(double seconds) {
  const forecast::Interval interval{seconds * (1 - host_uncertainty),
                                    seconds * (1 + host_uncertainty)};
  return {seconds, interval, interval};
}

std::optional<std::string> OnDevice::refusal() const {
  if (flagged) {
    return "the device is not the bottleneck: " + *flagged;
  }
  const auto* none = std::get_if<device::NoRatio>(&answer);
  return none == nullptr ? std::nullopt : std::optional(none->reason);
}

forecast::Prediction OnDevice::time(double here_s) const {
  const auto& ratio = std::get<device::TierRatio>(answer).ratio;
  const double step_s = step.measured.time_s;
  const auto parts = step.parts.value_or(forecast::StepParts{.device_s = step_s});
  const double there_s = forecast::step_on_device_s(parts, ratio.value, 1);
  const auto interval = [&](double width) -> forecast::Interval {
    return {there_s - distance_s(parts, there_s, ratio.value, -width),
            there_s + distance_s(parts, there_s, ratio.value, width)};
  };
  const forecast::Prediction time_s{there_s, interval(ratio.width_80), interval(ratio.width_95)};
  return time_s * (here_s / step_s);
}

OnDevice time_on_device(const OnDeviceQuestion& question) {
  auto step = recorded_step(*question.record);
  step = step ? step : step_of_epochs(*question.record);
  if (!step) {
    throw Error(question.record->header.point.str() +
                ": has neither steps nor epochs with a known number of iterations");
  }
  const auto& from = question.from->name;
  const auto& to = question.to->name;
  auto result = time_on_device(*step, times_of(question, step->measured),
                               {.from = from,
                                .to = to,
                                .known_devices = {{from, question.from}, {to, question.to}},
                                .database = question.database});
  return result;
}

OnDevice time_on_device(const RecordedStep& step, const DeviceTimes& times,
                        const DevicesAsked& devices) {
  const auto& [from, to, known_devices, database] = devices;
  const auto& own = case_of(times, step.measured);
  OnDevice result;
  result.step = step;
  if (step.parts) {
    result.flagged = forecast::not_device_bound(*step.parts);
  }
  if (!result.flagged) {
    result.flagged = times.not_device_bound(from, to, own, known_devices);
  }
  result.asked.measured = step.measured;
  result.asked.from = known_devices.at(from);
  result.asked.to = known_devices.at(to);
  result.asked.database = database;
  result.asked.references = times.references(from, to, own, false, known_devices);
  result.answer = device::best_ratio(result.asked);
  return result;
}

RunHere run_here(const forecast::Forecast& forecast) {
  return {.total_s = forecast.total_s, .fixed_s = part_s(forecast, forecast::PartKind::before)};
}

forecast::Prediction run_on_device(const RunHere& here, const OnDevice& on_device) {
  const auto steps_s = on_device.time(here.total_s.value - here.fixed_s);
  const double scale = (steps_s.value + here.fixed_s) / here.total_s.value;
  const auto error_here_s = (here.total_s + -here.total_s.value) * scale;
  return forecast::sum_of_independent({steps_s, with_host_uncertainty(here.fixed_s), error_here_s});
}

}  // namespace epochcast::analysis
