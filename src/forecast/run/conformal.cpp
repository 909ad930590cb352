#include "src/forecast/run/conformal.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::forecast {
namespace {

struct Score {
  double value = 0;
  double weight = 1;
};

/// Adds no score if there is no half-width: the outcome was known.
void add_score(const PastForecast& past, const Interval& interval, std::vector<Score>& scores) {
  const double error = past.actual_s - past.total_s.value;
  const double half_width =
      error > 0 ? interval.high - past.total_s.value : past.total_s.value - interval.low;
  if (half_width > 0 && std::isfinite(error)) {
    scores.push_back({std::abs(error) / half_width, past.weight});
  }
}

/// Returns 1 if there are too few scores. However exact the forecasts were, the next one may miss:
/// the result is at least 1 / (scores + 1).
double conformal_quantile(std::vector<Score> scores, double level) {
  double count = 0;
  for (const auto& score : scores) {
    count += score.weight;
  }
  constexpr double rounding = 1e-9;
  if (count + rounding < static_cast<double>(fewest_past_forecasts)) {
    return 1;
  }
  std::ranges::sort(scores, {}, &Score::value);
  double below = 0;
  const auto found = std::ranges::find_if(scores, [&](const Score& score) {
    below += score.weight;
    return below + rounding >= (count + 1) * level;
  });
  const double value = found == scores.end() ? scores.back().value : found->value;
  return std::max(value, 1 / (count + 1));
}

Interval calibrated(const Forecast& forecast, const Interval& interval, double factor) {
  const double total_s = forecast.total_s.value;
  return {std::max(forecast.spent_s, total_s - factor * (total_s - interval.low)),
          total_s + factor * (interval.high - total_s)};
}

}  // namespace

CalibrationFactors calibration_from(const std::vector<PastForecast>& past) {
  std::vector<Score> scores_80;
  std::vector<Score> scores_95;
  for (const auto& one : past) {
    add_score(one, one.total_s.interval_80, scores_80);
    add_score(one, one.total_s.interval_95, scores_95);
  }
  return {.of_80 = conformal_quantile(std::move(scores_80), 0.80),
          .of_95 = conformal_quantile(std::move(scores_95), 0.95)};
}

Forecast calibrated(Forecast forecast, const CalibrationFactors& factors) {
  auto& of_80 = forecast.total_s.interval_80;
  auto& of_95 = forecast.total_s.interval_95;
  of_80 = calibrated(forecast, of_80, factors.of_80);
  of_95 = calibrated(forecast, of_95, factors.of_95);
  of_95 = {std::min(of_95.low, of_80.low), std::max(of_95.high, of_80.high)};
  return forecast;
}

}  // namespace epochcast::forecast
