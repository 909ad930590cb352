// Forecasts how long a job takes from how long the same job took before. Needs no model of the
// times: order statistics only.
#pragma once

#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::forecast {

/// One past job.
struct PastTime {
  double elapsed_s = 0;
  bool cut_off = false;  ///< It reached its time limit: it would have taken longer.
  double limit_s = 0;    ///< Its time limit; 0: none, or not known.
  double submitted_at_s = 0;
  double ended_at_s = 0;
};

/// With fewer past jobs there is no forecast: the 80 % interval needs them.
inline constexpr std::size_t fewest_past_times = 9;
/// With fewer past jobs there is no 95 % interval.
inline constexpr std::size_t fewest_for_95 = 19;

/// An upper end that is not known, because too many of the past jobs were cut off.
inline constexpr double no_upper_end = std::numeric_limits<double>::infinity();

struct HistoryForecast {
  std::size_t n = 0;  ///< Past jobs, with those that were cut off.
  std::size_t cut_off = 0;
  Prediction time_s;  ///< The median; its 95 % interval from 19 jobs, at 0 with fewer than 39.
};

/// The past times of a group, to which times are added one after the other.
class PastTimes {
 public:
  PastTimes() = default;
  explicit PastTimes(const std::vector<PastTime>& times);
  void add(const PastTime& time);

  /// The next time is in the interval between the ranks (n + 1)·(1 - p)/2, rounded down, and
  /// (n + 1)·(1 + p)/2, rounded up, of the sorted past times with at least the probability p, if it
  /// is exchangeable with them, whatever their distribution (Wilks 1941; the split-conformal
  /// interval of Vovk, Gammerman and Shafer 2005). A job that was cut off took longer than its
  /// limit, by an unknown amount: it counts at its limit for lower ends and as endless for upper
  /// ends, which keeps that promise. Returns a Refusal for fewer than 9 jobs, and if half of them
  /// were cut off.
  std::variant<HistoryForecast, Refusal> forecast() const;

 private:
  std::vector<double> at_least_s_;  ///< Sorted; cut-off jobs at their limit.
  std::vector<double> at_most_s_;   ///< Sorted; cut-off jobs at infinity.
  std::size_t cut_off_ = 0;
};

/// A time limit from the upper end of a 95 % interval: 10 % more, rounded up to whole minutes.
double limit_from(double high_95_s);

/// How often something held.
struct Share {
  std::size_t held = 0;
  std::size_t of = 0;
};

/// Forecasts of past jobs, compared with what they took.
struct Backtest {
  Share inside_80;
  Share inside_95;
  Share within_limit;  ///< Jobs that limit_from would have let finish.
  double asked_s = 0;  ///< Sum of those limits, over the jobs that finished ...
  double used_s = 0;   ///< ... and of their times.
};

/// At most this many jobs of a group are forecast by backtest().
inline constexpr std::size_t most_backtested = 1000;

/// Leaves the newest jobs out, one after the other: each (of the newest 1000) is forecast from the
/// jobs that had ended when it was submitted, as at that time. A cut-off job counts only if its
/// limit lies above the interval: else it is not known whether its time would have.
Backtest backtest(std::vector<PastTime> times);

}  // namespace epochcast::forecast
