#include "src/forecast/scaling/law_error.hpp"

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::forecast {

LawError law_error(double squares, double count) {
  const double freedom = law_freedom + count;
  return {(law_freedom * law_deviation * law_deviation + squares) / freedom, freedom};
}

double disagreement(const std::vector<RivalLaw>& rivals) {
  double sum = 0;
  double weights = 0;
  for (const auto& rival : rivals) {
    const double weight = 1 / rival.variance;
    sum += weight * square(rival.log_ratio);
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

Prediction law_prediction(double value, double deviation, double freedom) {
  return with_log_widths(value, deviation * student_half_width(0.80, freedom),
                         deviation * student_half_width(0.95, freedom));
}

}  // namespace epochcast::forecast
