// What a ledger teaches the next forecast.
#pragma once

#include <vector>

#include "src/forecast/conformal.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast::ledger {

/// The rows whose training came to its end by itself, as conformal.hpp takes them. Runs that were
/// cut off after less time than was forecast say nothing; those cut off later are in, since they
/// took at least that long.
std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows);

/// The forecast with intervals that learned from the user's ledger; as it was where that has too
/// few rows or is not there.
forecast::Forecast learnt_from_ledger(const forecast::Forecast& forecast);

}  // namespace epochcast::ledger
