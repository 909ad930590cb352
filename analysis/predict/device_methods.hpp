// Every way to forecast a time on another device, tiers and plain rules, asked on measured times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/predict/device_times.hpp"
#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::analysis {

/// One ordered pair of devices and a case measured on both.
struct DeviceQuestion {
  const DeviceCase* one;
  std::string from;
  std::string to;

  double here_s() const { return one->time_s.at(from); }
  double there_s() const { return one->time_s.at(to); }
};

/// Every question that `times` can answer; points into it.
std::vector<DeviceQuestion> questions_of(const DeviceTimes& times);

/// The devices of a file in the device database.
struct FileDevices {
  std::vector<device::Device> database;  ///< Not to be copied: by_name points into it.
  KnownDevices by_name;
  std::vector<std::string> notes;  ///< What was assumed of them.
};

/// Matched by name, in the shipped device database. Achieved rates whose source names `origin` are
/// forgotten: rates taken from a file are not scored on it.
FileDevices devices_of(const DeviceTimes& times, const std::string& origin);

/// What the tiers are asked, without references.
device::RatioQuestion ratio_question(const DeviceQuestion& question, const FileDevices& devices);

/// The answers of a way to forecast; nothing: it refused.
struct DeviceMethod {
  std::string name;
  std::vector<std::optional<forecast::Prediction>> predictions = {};
};

/// Every tier by rank (references once more with the other batch sizes of the workload, where there
/// are any), then what people do without us.
std::vector<DeviceMethod> device_methods(const DeviceTimes& times, const FileDevices& devices,
                                         const std::vector<DeviceQuestion>& questions);

}  // namespace epochcast::analysis
