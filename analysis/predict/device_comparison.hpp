// How long works took on each of several settings, and how many times as fast one is as another:
// as measured, and as the device forecaster has it from everything else that was measured.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analysis/groups/device_grid.hpp"
#include "analysis/predict/time_on_device.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::analysis {

/// The runs of one work on one setting.
struct SettingTime {
  /// total_training_s of each run. Empty unless all of them hold their whole training.
  std::vector<double> totals_s = {};
  std::vector<double> steps_s = {};  ///< The mean step of each run (recorded_step).
  double samples_of_total = 0;       ///< Samples in that time (0: not known); so below.
  double samples_of_step = 0;        ///< Of all ranks.
  bool out_of_memory = false;        ///< One of the runs.

  bool measured() const { return !steps_s.empty(); }
  std::optional<double> total_s() const;        ///< The median.
  std::optional<double> samples_per_s() const;  ///< Over the total, else over a step.
};

/// How many times as long a work takes on the first setting of a pair as on the second.
struct TimeRatio {
  double value = 0;              ///< Of the medians: of totals where both have them, else of steps.
  std::optional<double> low_95;  ///< Empty if one of the two was not repeated.
  std::optional<double> high_95;
};

class DeviceComparison {
 public:
  /// `steps`: of every record in `grid` that did not run out of memory. `database` outlives this.
  DeviceComparison(AcrossDevices grid, std::map<const record::Record*, RecordedStep> steps,
                   const std::vector<device::Device>& database);

  const AcrossDevices& grid() const { return grid_; }

  SettingTime time(const WorkloadKey& work, std::size_t setting) const;

  /// Nothing if one of the two was not measured. The interval is of Student's t, from how the
  /// repeats of all works on a setting scatter (pooled_scatter).
  std::optional<TimeRatio> ratio(const WorkloadKey& work, const SettingPair& pair) const;

  /// What the forecaster says of `work` on the second setting from its time on the first, and from
  /// how other works of the grid went on both; its own time on the second is not looked at. Nothing
  /// where it was not measured on the first.
  std::optional<OnDevice> forecast(const WorkloadKey& work, const SettingPair& pair) const;

 private:
  std::optional<RecordedStep> step_of(const WorkloadKey& work, const record::Record* run) const;
  DeviceTimes times_on(const WorkloadKey& like, const SettingPair& pair) const;

  AcrossDevices grid_;
  std::map<const record::Record*, RecordedStep> steps_;
  const std::vector<device::Device>& catalogue_;
  std::vector<const device::Device*>
      devices_;  ///< By setting; nullptr: not in the device database.
  std::vector<std::optional<Scatter>> scatters_;  ///< By setting; nothing: not repeated.
};

}  // namespace epochcast::analysis
