#include "jobs/ledger/ledgers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/core/error.hpp"
#include "src/core/files.hpp"
#include "src/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// Rounded to about three significant digits.
std::string rounded(double seconds) {
  const double step_s = seconds < 60 ? 0.1 : seconds < 600 ? 1 : 60;
  return format_duration(step_s * std::round(seconds / step_s));
}

}  // namespace

void put_in_ledgers(const OutFolder& out, const std::vector<ledger::LedgerRow>& rows,
                    const Tell& tell) {
  ledger::put_in_ledger(ledger::ledger_of(out.root), rows);
  try {
    if (const auto own = ledger::user_ledger()) {
      is_there(*own);  // throws if the path is invalid
      ledger::put_in_ledger(*own, rows);
    }
  } catch (const Error& error) {
    tell(fmt::format("the user's ledger was not updated: {}", error.what()));
  }
}

std::map<std::string, ledger::LedgerRow> open_forecasts(const OutFolder& out) {
  std::map<std::string, ledger::LedgerRow> open;
  for (auto& row : ledger::read_ledger(ledger::ledger_of(out.root))) {
    if (row.is_open()) {
      open[row.point] = std::move(row);
    }
  }
  return open;
}

std::string forecast_text(const ledger::LedgerRow& row) {
  const auto asked =
      std::isnan(row.asked_s) ? std::string("no limit") : "limit " + format_duration(row.asked_s);
  if (std::isnan(row.forecast_s)) {
    return fmt::format("no forecast: {}; {}", row.remark, asked);
  }
  return fmt::format("forecast {}, at most {} (95 %): {}{}{}", rounded(row.forecast_s),
                     rounded(row.high_95_s), asked, row.remark.empty() ? "" : "; ", row.remark);
}

std::string outcome_text(const ledger::LedgerRow& row) {
  if (row.outcome != ledger::Outcome::complete || std::isnan(row.actual_s)) {
    return fmt::format("{}{}{}", to_text(row.outcome),
                       std::isnan(row.actual_s) ? "" : " after " + rounded(row.actual_s),
                       row.reason.empty() ? "" : ", " + row.reason);
  }
  if (std::isnan(row.forecast_s)) {
    return fmt::format("took {}; there was no forecast", rounded(row.actual_s));
  }
  const double percent = 100 * (row.forecast_s - row.actual_s) / row.actual_s;
  return fmt::format("took {}: forecast {:.1f} % too {}", rounded(row.actual_s), std::abs(percent),
                     percent < 0 ? "short" : "long");
}

}  // namespace epochcast::jobs
