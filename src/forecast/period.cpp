#include "src/forecast/period.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/step.hpp"

namespace epochcast::forecast {

double autocorrelation(const std::vector<double>& values, std::size_t lag) {
  const auto moments = moments_of(values);
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) {
    sum += (values[i] - moments.mean) * (values[i - lag] - moments.mean);
  }
  if (moments.squares == 0 || lag >= values.size()) {
    return 0;
  }
  const auto n = static_cast<double>(values.size());
  return sum / static_cast<double>(values.size() - lag) / (moments.squares / n);
}

std::size_t period_of(const std::vector<double>& values) {
  constexpr double clear = 0.5;
  for (std::size_t lag = 2; 3 * lag <= values.size(); ++lag) {
    const double here = autocorrelation(values, lag);
    const double chance = 3 / std::sqrt(static_cast<double>(values.size() - lag));
    if (here > std::max(clear, chance) && here >= autocorrelation(values, lag - 1) &&
        here >= autocorrelation(values, lag + 1)) {
      return lag;
    }
  }
  return 0;
}

}  // namespace epochcast::forecast
