// How long what a record holds would take on another device.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/predict/device_times.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/forecast/device/device.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// The relative error of the time on the host of another machine. A judgement: no data on it were
/// found.
inline constexpr double host_uncertainty = 0.30;

/// A time that is known to that: both of its intervals.
forecast::Prediction with_host_uncertainty(double seconds);

struct OnDeviceQuestion {
  const record::Record* record = nullptr;
  const std::vector<device::Device>* database = nullptr;  ///< With both devices.
  const device::Device* from = nullptr;                   ///< What the record was made on.
  const device::Device* to = nullptr;
  std::vector<Timing> history = {};  ///< Devices as the drivers or their sites call them.
};

struct OnDevice {
  RecordedStep step;
  std::variant<device::TierRatio, device::NoRatio> answer;
  device::RatioQuestion asked;         ///< As the tiers were asked.
  std::optional<std::string> flagged;  ///< Why the device is not the bottleneck: not to be scaled.

  /// Whether there is an answer, and no flag.
  bool answered() const { return !refusal(); }
  /// Why there is none: the device is not the bottleneck, or no tier answers.
  std::optional<std::string> refusal() const;

  /// What takes `here_s` there, in seconds, if each step is a part of it and the rest depends on
  /// the steps. There must be an answer and no flag.
  forecast::Prediction time(double here_s) const;
};

/// First the bottleneck: the parts of the record's steps and, where the history holds other batch
/// sizes, how its times depend on the batch. Then the device's part alone scales with the best
/// tier's ratio; the host's stays as it is, 30 % more or less. Throws Error if the record holds no
/// times of steps or epochs (recorded_step, step_of_epochs).
OnDevice time_on_device(const OnDeviceQuestion& question);

/// Two devices under the names that `times` has for them; the device database need not have them.
struct DevicesAsked {
  std::string from;
  std::string to;
  KnownDevices known_devices;  ///< Both, nullptr if not in the device database.
  const std::vector<device::Device>* database = nullptr;
};

/// The same for a step that is one of `times`, which are the history.
OnDevice time_on_device(const RecordedStep& step, const DeviceTimes& times,
                        const DevicesAsked& devices);

/// A run as it is forecast where it was measured.
struct RunHere {
  forecast::Prediction total_s;
  /// The part that does not depend on the device: what comes before the first step, and what more
  /// workers lose to each other.
  double fixed_s = 0;
};

/// The forecast as such a run: all but the time before the first step depends on the device.
RunHere run_here(const forecast::Forecast& forecast);

/// The same on the other device: its steps take as much longer or shorter as one step does
/// (OnDevice::time), the fixed part stays as it is, 30 % more or less. The errors of the ratio, of
/// the fixed part and of the forecast here are independent and add up in quadrature. There must be
/// an answer and no flag.
forecast::Prediction run_on_device(const RunHere& here, const OnDevice& on_device);

/// The run of `length` here and there; without a row where it is refused, with the reason as
/// a note.
table::Table run_table(const OnDeviceQuestion& question, const OnDevice& on_device,
                       const forecast::RunLength& length);

/// The ratio by every tier, the step with its parts, and the whole training where the record holds
/// it.
std::vector<table::Table> on_device_tables(const OnDeviceQuestion& question,
                                           const OnDevice& on_device);

}  // namespace epochcast::analysis
