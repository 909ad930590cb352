#include "src/forecast/run/conformal.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

/// Adds no score if there is no half-width: the outcome was known.
void add_score(const PastForecast& past, const Interval& interval, std::vector<double>& scores) {
  const double error = past.actual_s - past.total_s;
  const double half_width =
      error > 0 ? interval.high_s - past.total_s : past.total_s - interval.low_s;
  if (half_width > 0 && std::isfinite(error)) {
    scores.push_back(std::abs(error) / half_width);
  }
}

/// Returns 1 if there are too few scores. However exact the forecasts were, the next one may miss:
/// the result is at least 1 / (scores + 1).
double conformal_quantile(std::vector<double> scores, double level) {
  if (scores.size() < fewest_past_forecasts) {
    return 1;
  }
  const auto rank =
      static_cast<std::size_t>(std::ceil((static_cast<double>(scores.size()) + 1) * level));
  const auto place =
      scores.begin() + static_cast<std::ptrdiff_t>(std::min(rank, scores.size()) - 1);
  std::nth_element(scores.begin(), place, scores.end());
  return std::max(*place, 1 / (static_cast<double>(scores.size()) + 1));
}

Interval calibrated(const Forecast& forecast, const Interval& interval, double factor) {
  return {.low_s = std::max(forecast.spent_s,
                            forecast.total_s - factor * (forecast.total_s - interval.low_s)),
          .high_s = forecast.total_s + factor * (interval.high_s - forecast.total_s)};
}

}  // namespace

CalibrationFactors calibration_from(const std::vector<PastForecast>& past) {
  std::vector<double> scores_80;
  std::vector<double> scores_95;
  std::vector<double> scores_95_other;
  for (const auto& one : past) {
    add_score(one, one.interval_80, scores_80);
    add_score(one, one.interval_95, one.well_behaved ? scores_95 : scores_95_other);
  }
  CalibrationFactors factors{.of_80 = conformal_quantile(std::move(scores_80), 0.80),
                             .of_95 = conformal_quantile(std::move(scores_95), 0.95)};
  const bool enough = scores_95_other.size() >= fewest_past_forecasts;
  factors.of_95_other =
      std::max(1.0, enough ? conformal_quantile(scores_95_other, 0.95) : factors.of_95);
  return factors;
}

CalibrationFactors for_new_group(const CalibrationFactors& factors, std::size_t groups) {
  const auto count = static_cast<double>(groups);
  const auto cautious = [&](double factor) {
    return factor < 1 ? std::pow(factor, count / (count + model_counts)) : factor;
  };
  return {.of_80 = cautious(factors.of_80),
          .of_95 = cautious(factors.of_95),
          .of_95_other = factors.of_95_other};
}

Forecast calibrated(Forecast forecast, const CalibrationFactors& factors) {
  forecast.interval_80 = calibrated(forecast, forecast.interval_80, factors.of_80);
  forecast.interval_95 = calibrated(forecast, forecast.interval_95,
                                    forecast.well_behaved ? factors.of_95 : factors.of_95_other);
  forecast.interval_95.low_s = std::min(forecast.interval_95.low_s, forecast.interval_80.low_s);
  forecast.interval_95.high_s = std::max(forecast.interval_95.high_s, forecast.interval_80.high_s);
  return forecast;
}

}  // namespace epochcast::forecast
