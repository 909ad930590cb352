// Past forecasts from a ledger, to adjust the next forecast.
#pragma once

#include <vector>

#include "src/forecast/ledger/ledger.hpp"
#include "src/forecast/run/conformal.hpp"

namespace epochcast::ledger {

/// The closed rows that show the error of a forecast, in the form for conformal.hpp.
/// All count as of runs like the public logs: a ledger does not say.
std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows);

/// The same of memory: bytes in place of seconds. A run that held more than was forecast shows it,
/// however it ended.
std::vector<forecast::PastForecast> past_memory(const std::vector<LedgerRow>& rows);

/// Reads the newest rows of the user's ledger (user_ledger) and of the site's (site_ledger), each
/// forecast once, and returns the forecast with intervals adjusted by them; unchanged if there are
/// too few. Its reasons name the ledgers and note damaged lines, and a ledger of the site that
/// cannot be read. Throws Error if the user's file is not a ledger.
forecast::Forecast adjusted_by_user_ledger(const forecast::Forecast& forecast);

/// A forecast of memory, adjusted by the same ledgers; unchanged if they cannot be read.
forecast::Prediction memory_adjusted_by_user_ledger(const forecast::Prediction& bytes);

}  // namespace epochcast::ledger
