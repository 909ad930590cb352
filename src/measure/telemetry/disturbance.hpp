// Whether others disturbed a run, and how: a verdict over the usage of its epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/measure/telemetry/taken_share.hpp"
#include "src/record/record.hpp"

namespace epochcast::telemetry {

/// An epoch is disturbed if a cause took more than this share of it ...
inline constexpr double epoch_limit = 0.05;
/// ... and a run, if its disturbed epochs lost more than this share of the time of all epochs.
inline constexpr double run_limit = 0.01;

struct Disturbance {
  double lost_share = 0;             ///< Of the time of all epochs.
  std::vector<std::int64_t> epochs;  ///< The disturbed ones, from 0, rising; -1: a whole command.
  /// "another process (apt-get) used 61 % of the 2 CPUs during epochs 2 to 5", causes joined by
  /// "; ". It is printable.
  std::string text;
};

/// std::nullopt if the run was not disturbed as far as was measured.
///
/// Use of the CPUs by others must have cost time: by the waits of the run's threads (taken_share),
/// and, where three quiet epochs or more show how long an epoch takes, by epochs that were longer
/// than these by half of what the waits tell. Records without those waits are judged by the use.
std::optional<Disturbance> find_disturbance(std::span<const record::EpochUsage> usage);

/// The text of find_disturbance(), or "".
std::string disturbance_text(const record::Record& record);

/// The share of the CPUs of the run that others used without taking time from it; 0 if they used
/// less than `epoch_limit`, disturbed the run, or the waits of its threads were not measured.
double harmless_use(std::span<const record::EpochUsage> usage);

}  // namespace epochcast::telemetry
