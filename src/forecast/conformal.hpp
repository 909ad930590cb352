// Intervals that learn from how wrong earlier forecasts were.
#pragma once

#include <vector>

#include "src/forecast/forecast.hpp"

namespace epochcast::forecast {

/// A forecast and the outcome of it.
struct PastForecast {
  double total_s = 0;
  Interval interval_80;
  Interval interval_95;
  double actual_s = 0;
};

/// What the half-widths of intervals are to be multiplied with.
struct Stretch {
  double of_80 = 1;
  double of_95 = 1;
};

/// Below this many past forecasts intervals stay as they are.
inline constexpr std::size_t fewest_past_forecasts = 20;

/// Split-conformal (Vovk, Gammerman and Shafer 2005; Lei et al. 2018, section 2.2): the error of
/// each past forecast in units of its own half-width on that side; the factor is the
/// ceil((n + 1)·level)-th smallest of them. An interval stretched so holds the next outcome with at
/// least that probability if it is exchangeable with the past ones, however wrong the model is.
Stretch stretch_from(const std::vector<PastForecast>& past);

/// The forecast with its intervals stretched, none below what was spent.
Forecast stretched(Forecast forecast, const Stretch& stretch);

}  // namespace epochcast::forecast
