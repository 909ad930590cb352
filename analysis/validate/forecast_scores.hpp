// Our own forecasts as a method among those that are scored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/scoring.hpp"
#include "src/forecast/forecast.hpp"

namespace epochcast::analysis {

/// A run that was forecast from its beginning.
struct ForecastCase {
  forecast::Series seen;
  double actual_s = 0;  ///< Of the whole run.
  double given_s = 0;   ///< Not scored: taken off outcome and forecast alike.
  /// Who it is from, by every way of telling: with what its intervals learned from others left out.
  std::vector<std::string> groups = {};
};

/// "epochcast" as it is, and for each name of `groupings` (in the order of ForecastCase::groups)
/// "epochcast, learnt from other NAMEs": intervals stretched by the errors on all cases of other
/// groups (conformal.hpp). Those with fewer than 20 others stay as they are.
std::vector<Method> forecast_methods(const std::vector<ForecastCase>& cases,
                                     const std::vector<std::string>& groupings);

}  // namespace epochcast::analysis
