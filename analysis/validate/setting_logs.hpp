// Times of steps at different settings, from a CSV file.
#pragma once

#include <map>
#include <string>
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

}  // namespace epochcast::analysis
