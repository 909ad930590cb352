// Times of steps at different settings, from a CSV file, and what the forecast surface is asked
// about them: some settings are left out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/csv_file.hpp"
#include "src/forecast/scaling/step_setting.hpp"

namespace epochcast::analysis {

/// The steps of each workload; a device is a part of its name.
using SettingLogs = std::map<std::string, std::vector<forecast::SettingTime>>;

/// Reads the columns workload, step_s and, where they exist, device, batch, input_length, flops,
/// layers, threads, workers and nodes, or those of Gavel's simulation_throughputs (job,
/// steps_per_s, scale_factor). Adds rows that cannot be used to `excluded`. Throws Error if a
/// column is missing.
SettingLogs setting_logs(const CsvFile& file, ExcludedRows& excluded);

struct SurfaceQuestion {
  std::vector<forecast::SettingTime> given;  ///< At least three.
  forecast::SettingTime asked;
  std::string_view without = {};  ///< Name of the dimension whose value was left out; "": none.
};

/// Each setting from all others.
std::vector<SurfaceQuestion> one_setting(const SettingLogs& logs);

/// Each setting from those that differ from it in one dimension, for each dimension with three
/// values or more: no run has that batch size, or that number of workers.
std::vector<SurfaceQuestion> one_value(const SettingLogs& logs);

/// The largest setting from those that are smaller in every dimension that varies.
std::vector<SurfaceQuestion> all_larger(const SettingLogs& logs);

}  // namespace epochcast::analysis
