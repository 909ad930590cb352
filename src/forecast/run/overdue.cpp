#include "src/forecast/run/overdue.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::forecast {

double overdue_s(const Forecast& forecast, const Observation& seen, double now_s) {
  if (forecast.rest_share <= 0) {
    return 0;
  }
  const auto expected_s = [&](double done) {
    const double left = std::clamp((1 - done / seen.epochs) / forecast.rest_share, 0.0, 1.0);
    const double after_epochs = std::ceil(seen.epochs) - std::ceil(done) + 1;  // still to come
    return forecast.total_s.value - left * forecast.rest_s - after_epochs * forecast.after_epoch_s;
  };
  const double next = std::min({seen.done + seen.spacing, std::floor(seen.done) + 1, seen.epochs});
  return std::max({0.0, seen.at_s - expected_s(seen.done), now_s - expected_s(next)});
}

Forecast shifted_if_overdue(Forecast forecast, const Observation& seen, double now_s) {
  forecast.total_s = forecast.total_s + overdue_s(forecast, seen, now_s);
  return forecast;
}

}  // namespace epochcast::forecast
