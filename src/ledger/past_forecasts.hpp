// Past forecasts from a ledger, to adjust the next forecast.
#pragma once

#include <vector>

#include "src/forecast/conformal.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast::ledger {

/// The closed rows that show the error of a forecast, in the form for conformal.hpp: complete runs,
/// and runs that were ended after more time than was forecast, since they would have taken at least
/// that long.
std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows);

/// Reads the user's ledger (user_ledger) and returns the forecast with intervals adjusted by
/// its rows; unchanged if there are too few. Its reasons note damaged lines. Throws Error if the
/// file is not a ledger.
forecast::Forecast adjusted_by_user_ledger(const forecast::Forecast& forecast);

}  // namespace epochcast::ledger
