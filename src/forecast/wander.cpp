#include "src/forecast/wander.hpp"

#include <cmath>

#include "src/forecast/prior_constants.hpp"
#include "src/forecast/scatter.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {

Wander wander_of(const std::vector<double>& values, double usual) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) {
    return {};
  }
  double squares = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    squares += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
  }
  // The level, with any value equally likely before, is integrated out of both: that leaves n - 1
  // degrees of freedom, and the factor sqrt(n) in favor of the walk.
  const double log_factor = std::log(n) / 2 + log_evidence(squares, n - 1, usual) -
                            log_evidence(moments_of(values).squares, n - 1, usual);
  const double odds = wanders / (1 - wanders) * std::exp(log_factor);
  Wander wander{.probability = odds / (1 + odds)};
  for (const auto& deviation : deviations_from(squares, n - 1, usual)) {
    wander.change += deviation.probability * deviation.value * deviation.value;
  }
  wander.change = std::sqrt(wander.change);
  return wander;
}

}  // namespace epochcast::forecast
