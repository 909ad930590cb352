// The same work on several devices: records as a grid of what was computed and where.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {

/// An allocation and what its runs computed on.
struct Configuration {
  std::string label;  ///< The allocation's name; with the device if one name is used for several.
  std::string allocation;
  std::string device;  ///< As device_of returns it.
  bool gpu = false;
  std::int64_t cpus = 0;
};

/// Runs of equal parameters, wherever they ran.
struct WorkloadKey {
  std::vector<std::string> by;  ///< Values of the attributes given as `by`.
  std::string source;
  std::string task;
  std::string name;  ///< The model and its distinguishing parameters (short_names).
  run::ParameterValues parameters;
  std::vector<std::vector<const record::Record*>> runs;  ///< By setting; a setting may have none.

  /// Any of its runs, for what all have in common.
  const record::Record& example() const;
};

struct AcrossDevices {
  std::vector<Configuration>
      settings;                    ///< CPUs before GPUs, each by rising CPU count, then by label.
  std::vector<WorkloadKey> works;  ///< By task, `by`, model, size of the network, name, batch.
};

/// The parameters of a record that may differ within one work.
using FreeParameters = std::function<record::ParameterNames(const record::Record&)>;

/// Sorts `records` into that grid; the device is free anyway. Pointers in the result go into
/// `records`.
AcrossDevices across_devices(const std::vector<const LoadedRecord*>& records,
                             const std::vector<std::string>& by, const FreeParameters& free);

/// Places of two settings in AcrossDevices::settings.
struct SettingPair {
  std::size_t first;
  std::size_t second;
};

/// What to compare: each CPU with each GPU; where there are only CPUs, or only GPUs, each with
/// each.
std::vector<SettingPair> pairs_of(const std::vector<Configuration>& settings);

}  // namespace epochcast::analysis
