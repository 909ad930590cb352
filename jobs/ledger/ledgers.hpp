// The two ledgers of an output folder's forecasts: its own and the user's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::jobs {

using Tell = std::function<void(const std::string&)>;

/// Writes rows into OUT/ledger.csv and the user's ledger; a problem with the second one is only
/// reported.
void put_in_ledgers(const OutFolder& out, const std::vector<ledger::LedgerRow>& rows,
                    const Tell& tell);

/// Point -> its open row of OUT's ledger.
std::map<std::string, ledger::LedgerRow> open_forecasts(const OutFolder& out);

/// "forecast 1h12m, at most 1h20m (95 %): limit 1h28m", or why there is none.
std::string forecast_text(const ledger::LedgerRow& row);

/// "took 1h10m: forecast 4.1 % too long", or how else it ended.
std::string outcome_text(const ledger::LedgerRow& row);

/// Closes the open rows of points that have ended; does nothing if OUT has no ledger. A run that
/// ended before its training was complete is censored, not missing.
void close_ledger_rows(const OutFolder& out, const std::vector<PointStatus>& points,
                       const Tell& tell);

}  // namespace epochcast::jobs
