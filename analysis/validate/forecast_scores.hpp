// Our own forecasts as a method among those that are scored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/scoring.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/forecast/run/forecast.hpp"

namespace epochcast::analysis {

/// A run that was forecast from its beginning.
struct ForecastCase {
  forecast::RunSeries seen;
  double actual_s = 0;  ///< Of the whole run.
  double given_s = 0;   ///< Not scored: taken off outcome and forecast alike.
  /// Whether intervals learn from it: not from a run that stopped within its last epoch.
  bool teaches = true;
  /// Who it is from, by every way of telling: with what its intervals learned from others left out.
  std::vector<std::string> groups = {};
  double weight = 1;  ///< In what intervals learn from it (PastForecast::weight).
};

/// Intervals learned from the runs of another file.
struct Lesson {
  std::string from;
  forecast::CalibrationFactors factors;
};

using MaybeForecasts = std::vector<std::optional<forecast::Forecast>>;

/// The forecasts as they ship; std::nullopt: refused.
MaybeForecasts shipped_forecasts(const std::vector<ForecastCase>& cases);

/// These forecasts of the cases as a method.
Method method_of(const std::string& name, const std::vector<ForecastCase>& cases,
                 const MaybeForecasts& forecasts);

/// Each forecast calibrated by the errors of those of other groups (`grouping`: which of
/// ForecastCase::groups); unchanged with fewer than 20 others.
MaybeForecasts learnt(std::size_t grouping, const std::vector<ForecastCase>& cases,
                      MaybeForecasts forecasts);

/// What the errors of the forecasts of all cases teach for a run of a new group (`grouping`: which
/// of ForecastCase::groups).
forecast::CalibrationFactors lesson_of(const std::vector<ForecastCase>& cases,
                                       std::size_t grouping);

/// "epochcast" as it ships; for each name of `groupings` (in the order of ForecastCase::groups)
/// "epochcast, learnt from other NAMEs": intervals of the model calibrated by the errors on all
/// cases of other groups (conformal.hpp), and not by what ships; the same for each lesson. Those
/// with fewer than 20 others stay as the model has them.
std::vector<Method> forecast_methods(const std::vector<ForecastCase>& cases,
                                     const std::vector<std::string>& groupings,
                                     const std::vector<Lesson>& lessons = {});

}  // namespace epochcast::analysis
