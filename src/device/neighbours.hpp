// Forecast by the nearest of many known cases, with a choice of how many and an error that both
// come from the known cases themselves.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace epochcast::device {

struct KnownCase {
  std::vector<double> place;  ///< Coordinates, as many as every other case has.
  std::string group;          ///< Cases of one group are variants of one thing.
  std::string kind;           ///< Cases of one kind are alike in what cannot be measured.
  double value = 0;
};

struct NearestForecast {
  double value = 0;
  double width_80 = 0;  ///< Half-widths of prediction intervals.
  double width_95 = 0;
  std::size_t neighbours = 0;
};

/// The median of the k known values nearest to `asked`, whose own value is not looked at.
/// Coordinates are divided by their standard deviation over the known cases; another group is one
/// such unit away, and so is another kind. k is 1, 2, 4, ...
/// or all: that with the least mean error when the known cases (at most the 128 nearest) are
/// forecast one by one from the others, without their own group where the asked one is unknown too.
/// The half-widths are split-conformal quantiles of those errors (Vovk et al. 2005); where there
/// are too few errors for a quantile, the largest, or `fallback` if that is wider.
/// `known` holds at least 2 cases, of at least 2 groups unless the asked one is among them.
NearestForecast nearest_forecast(const std::vector<KnownCase>& known, const KnownCase& asked,
                                 const NearestForecast& fallback);

}  // namespace epochcast::device
