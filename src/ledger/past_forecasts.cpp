#include "src/ledger/past_forecasts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace epochcast::ledger {

std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows) {
  std::vector<forecast::PastForecast> past;
  for (const auto& row : rows) {
    const bool known = !row.is_open() && std::isfinite(row.forecast_s) &&
                       std::isfinite(row.low_80_s) && std::isfinite(row.high_80_s) &&
                       std::isfinite(row.low_95_s) && std::isfinite(row.high_95_s) &&
                       std::isfinite(row.actual_s);
    const bool ended =
        row.outcome == Outcome::complete || (row.censored && row.actual_s > row.forecast_s);
    // Quantiles of past times have intervals that need no adjustment, and tell nothing of pilots.
    if (known && ended && row.classification != from_history) {
      past.push_back({row.forecast_s,
                      {row.low_80_s, row.high_80_s},
                      {row.low_95_s, row.high_95_s},
                      row.actual_s});
    }
  }
  return past;
}

forecast::Forecast adjusted_by_user_ledger(const forecast::Forecast& forecast) {
  const auto path = user_ledger();
  if (!path) {
    return forecast;
  }
  std::vector<std::string> damaged;
  const auto past = past_forecasts(read_ledger(*path, &damaged));
  auto learned = forecast;
  if (past.size() >= forecast::fewest_past_forecasts) {
    learned = forecast::stretched(forecast, forecast::stretch_from(past));
    learned.reasons.push_back(
        fmt::format("intervals learned from {} earlier forecasts ({})", past.size(), *path));
  }
  if (!damaged.empty()) {
    learned.reasons.push_back(fmt::format(
        "{} of the ledger ignored as damaged ({})",
        damaged.size() == 1 ? "1 line" : fmt::format("{} lines", damaged.size()), damaged.front()));
  }
  return learned;
}

}  // namespace epochcast::ledger
