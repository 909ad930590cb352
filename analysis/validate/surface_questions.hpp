// What the forecast surface is asked about measured steps: some settings are left out.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/validate/setting_logs.hpp"

namespace epochcast::analysis {

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
