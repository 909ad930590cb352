// The time limit that follows from a forecast.
#pragma once

#include "jobs/cluster/cluster.hpp"
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

/// The limit of a job that takes `high_s` at most: the upper end of its forecast (95 %), with what
/// comes before the program. One rule for plans, with pilots and by history, `advise`, `retry` and
/// packs.
struct LimitByForecast {
  double needed_s = 0;  ///< high_s and its margin,
  Seconds limit;        ///< and that in whole minutes.
  bool fits = true;     ///< The allocation allows it; one without a time allows all.
};
LimitByForecast limit_for(double high_s, const AllocationProfile& site);

}  // namespace epochcast::jobs
