// The full runs that wait for a pilot, as rows of the ledger.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast::jobs {

/// A forecast from the pilot's record for every point of OUT that waits for it, with the limit to
/// ask for: the allocation's where the forecast is refused or longer than that. Throws Error where
/// OUT has no such pilot, RunError where that has no record.
std::vector<ledger::LedgerRow> forecasts_from(const OutFolder& out, const std::string& pilot);

/// Pilots of the plan that have ended well but of which the ledger has no forecast.
std::vector<std::string> pilots_without_forecast(const OutFolder& out);

}  // namespace epochcast::jobs
