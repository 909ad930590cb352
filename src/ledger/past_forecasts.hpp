// What a ledger teaches the next forecast.
#pragma once

#include <vector>

#include "src/forecast/conformal.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast {

/// The rows whose training came to its end by itself, as conformal.hpp takes them. Runs that were
/// cut off after less time than was forecast say nothing; those cut off later are in, since they
/// took at least that long.
std::vector<PastForecast> past_forecasts(const std::vector<LedgerRow>& rows);

/// The forecast with intervals that learned from the user's ledger; as it was where that has too
/// few rows or is not there.
Forecast learnt_from_ledger(const Forecast& forecast);

}  // namespace epochcast
