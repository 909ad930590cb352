#include "src/ledger/past_forecasts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "src/core/text.hpp"
#include "src/ledger/exchange.hpp"

namespace epochcast::ledger {

bool shows_error(const LedgerRow& row) {
  const bool known = !row.is_open() && std::isfinite(row.forecast_s) &&
                     std::isfinite(row.low_80_s) && std::isfinite(row.high_80_s) &&
                     std::isfinite(row.low_95_s) && std::isfinite(row.high_95_s) &&
                     std::isfinite(row.actual_s);
  const bool ended =
      row.outcome == Outcome::complete || (row.censored && row.actual_s > row.forecast_s);
  // Quantiles of past times have intervals that need no adjustment, and tell nothing of pilots.
  return known && ended && row.classification != from_history;
}

std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows) {
  std::vector<forecast::PastForecast> past;
  for (const auto& row : rows) {
    if (shows_error(row)) {
      past.push_back({row.forecast_s,
                      {row.low_80_s, row.high_80_s},
                      {row.low_95_s, row.high_95_s},
                      row.actual_s});
    }
  }
  return past;
}

namespace {

/// The rows of the user's and of the site's ledger, and what there is to say of them.
struct KnownRows {
  std::vector<LedgerRow> rows;
  std::vector<std::string> paths;
  std::vector<std::string> remarks;

  void add(const std::string& path) {
    std::vector<std::string> damaged;
    auto newest = read_newest(path, &damaged);
    if (!newest.empty()) {
      paths.push_back(path);
    }
    each.begin_ledger();
    for (auto& row : newest) {
      if (each.place_of(row).second) {
        rows.push_back(std::move(row));
      }
    }
    if (!damaged.empty()) {
      remarks.push_back(
          fmt::format("{} of the ledger ignored as damaged ({})",
                      damaged.size() == 1 ? "1 line" : fmt::format("{} lines", damaged.size()),
                      damaged.front()));
    }
  }

 private:
  EachOnce each;
};

KnownRows known_rows() {
  KnownRows known;
  if (const auto own = user_ledger()) {
    known.add(*own);
  }
  if (const auto site = site_ledger()) {
    try {
      if (!std::filesystem::exists(*site)) {
        throw Error(*site + ": no such file");
      }
      known.add(*site);
    } catch (const Error& error) {
      known.remarks.push_back(
          fmt::format("the site's ledger (EPOCHCAST_SITE_LEDGER) is not used: {}", error.what()));
    }
  }
  return known;
}

}  // namespace

forecast::Forecast adjusted_by_user_ledger(const forecast::Forecast& forecast) {
  const auto known = known_rows();
  const auto past = past_forecasts(known.rows);
  auto learned = forecast;
  if (past.size() >= forecast::fewest_past_forecasts) {
    learned = forecast::stretched(forecast, forecast::stretch_from(past));
    learned.reasons.push_back(fmt::format("intervals learned from {} earlier forecasts ({})",
                                          past.size(), join(known.paths, ", ")));
  }
  learned.reasons.insert(learned.reasons.end(), known.remarks.begin(), known.remarks.end());
  return learned;
}

}  // namespace epochcast::ledger
