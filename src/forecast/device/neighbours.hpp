// Forecast from the nearest of many known cases. The number of cases to use and the expected error
// are both derived from the known cases.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace epochcast::device {

struct KnownCase {
  std::vector<double> place;  ///< Coordinates; every case has the same number of them.
  std::string group;          ///< Cases of one group are variants of the same thing.
  std::string kind;           ///< Cases of one kind share properties that cannot be measured.
  double value = 0;
};

struct NearestForecast {
  double value = 0;
  double width_80 = 0;  ///< Half-widths of prediction intervals.
  double width_95 = 0;
  std::size_t neighbours = 0;
};

/// The median of the k known values nearest to `asked`; the value of `asked` is ignored.
/// Coordinates are divided by their standard deviation over the known cases; a different group is
/// one such unit away, and so is a different kind. k is 1, 2, 4, ... or all. The k with the least
/// mean error is used when the known cases (at most the 128 nearest) are each forecast from the
/// others, without their own group if the group of `asked` is unknown too. The half-widths are
/// split-conformal quantiles of those errors (Vovk et al. 2005). If there are too few errors for a
/// quantile, `fallback` (the half-widths of a normal error) is joined with them, and they take over
/// as they become more. `known` holds at
/// least 2 cases, of at least 2 groups unless the group of `asked` is among them.
NearestForecast nearest_forecast(const std::vector<KnownCase>& known, const KnownCase& asked,
                                 const NearestForecast& fallback);

}  // namespace epochcast::device
