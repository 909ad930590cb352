// The margin of a time limit, and its unit.
#pragma once

#include "src/base/core/quantity.hpp"

namespace epochcast::jobs {

/// Of time and memory above the upper bound of a forecast.
inline constexpr double margin_share = 0.10;

/// Margin of a limit above the upper bound of a forecast: 10 % of it, but at least the signal's
/// lead plus 60 s, because Slurm may send the signal 60 s early (sbatch(1); 53 s were measured for
/// a lead of 30 s).
double margin_s(double high_s, Seconds signal_lead);

/// The upper bound that needs such a limit: the inverse of high_s + margin_s(high_s).
double without_margin_s(double limit_s, Seconds signal_lead);

/// Rounded up to whole minutes, as Slurm counts.
Seconds in_minutes(double seconds);

}  // namespace epochcast::jobs
