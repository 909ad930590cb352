// What the next forecast learns from a ledger.
#pragma once

#include <vector>

#include "src/forecast/conformal.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast::ledger {

/// The closed rows that show how wrong a forecast was, as conformal.hpp takes them: complete runs,
/// and runs that were cut off after more time than was forecast, since they took at least that
/// long.
std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows);

/// The forecast with intervals adjusted by the user's ledger; unchanged if there are too few rows.
/// Its reasons note damaged lines. Throws Error if the file is not a ledger.
forecast::Forecast learnt_from_ledger(const forecast::Forecast& forecast);

}  // namespace epochcast::ledger
