// The device that --on names, and what is known of it: --from, --history.
#pragma once

#include <string>
#include <vector>

#include "analysis/predict/time_on_device.hpp"
#include "src/base/cli/command_line.hpp"

namespace epochcast::analysis {

/// The device that `name` means: a file that measure-device wrote, a name of the device database,
/// or what a driver or a site calls it. Throws Error for a device that is not known.
device::Device device_given(const std::string& name);

class OtherDevice {
 public:
  /// Throws Error for a device that is not known and for a history that cannot be read.
  explicit OtherDevice(const cli::Arguments& arguments);

  /// What is asked of this record; points into it and into this object. Throws Error if it was made
  /// on another device than --from says, or on none that is known.
  OnDeviceQuestion question(const std::string& path, const record::Record& record) const;

  /// Its name in the device database, or the path of its file.
  const std::string& name() const { return to_; }

 private:
  std::vector<device::Device> database_;
  std::string to_;
  std::string from_;  ///< Empty: as each record says.
  std::vector<Timing> history_;
};

}  // namespace epochcast::analysis
