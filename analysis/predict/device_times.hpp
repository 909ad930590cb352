// Times of workloads on devices as others measured them, and workloads measured on several devices,
// as questions from one device to another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"
#include "src/forecast/device/ratio.hpp"

namespace epochcast::analysis {

struct Timing {
  device::MeasuredWork measured;
  std::string device;  ///< As the file calls it.
};

/// For the help.
inline constexpr const char* timing_columns =
    "workload,device,time_ms[,batch,precision,flops,bytes,operator]";

/// The rows of a table with these columns. `operator` (product, convolution, ...): a single one was
/// timed, not a program of many. Throws Error if a column is missing.
std::vector<Timing> read_timings(const CsvFile& file, ExcludedRows& excluded);

/// A workload at one batch size (or any) and precision, with its time on each device it was
/// measured on.
struct DeviceCase {
  device::MeasuredWork measured;  ///< time_s is not set, nor the batch if it is any.
  /// By the file's name of the device; repeats are averaged.
  std::map<std::string, double> time_s;
  std::map<std::string, double> batch = {};  ///< On each device, where it is any; 0: not stated.

  device::MeasuredWork on(const std::string& device) const;
  bool has(const std::string& device) const { return time_s.contains(device); }
};

/// Devices by the file's names; nullptr if the device database has none.
using KnownDevices = std::map<std::string, const device::Device*>;

class DeviceTimes {
 public:
  explicit DeviceTimes(const std::vector<Timing>& timings);

  const std::vector<DeviceCase>& cases() const { return cases_; }
  /// Every device, in the order of names.
  const std::vector<std::string>& devices() const { return devices_; }

  /// The cases measured on both devices, but for `asked`; `other_workloads` leaves out its workload
  /// at every batch size too. Cases that are not limited by the device say nothing about it and are
  /// left out, as far as that shows without the time of `asked` on `to`.
  std::vector<device::Reference> references(const std::string& from, const std::string& to,
                                            const DeviceCase& asked, bool other_workloads,
                                            const KnownDevices& known_devices) const;

  /// Why `asked` is not limited by the device, from its time on `from` and from other batch sizes
  /// of the workload (but `hidden`), never from its time elsewhere; nothing if there is no sign
  /// of it. A sign is a time that does not depend on the batch (not_device_bound), or a device that
  /// is better in arithmetic and memory and yet slower on most other batch sizes.
  std::optional<std::string> not_device_bound(const std::string& from, const std::string& to,
                                              const DeviceCase& asked,
                                              const KnownDevices& known_devices,
                                              const DeviceCase* hidden = nullptr) const;

 private:
  using Cases = std::vector<const DeviceCase*>;
  /// Other batch sizes of the same workload, but `hidden`.
  Cases others_of(const DeviceCase& asked, const DeviceCase* hidden) const;

  std::vector<DeviceCase> cases_;
  /// Places in cases_ by workload and precision.
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> sweeps_;
  std::vector<std::string> devices_;
};

}  // namespace epochcast::analysis
