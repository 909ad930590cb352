// What became of the forecasts: the ledger's open rows, closed as their jobs end.
#pragma once

#include <vector>

#include "jobs/campaign/status.hpp"
#include "jobs/ledger/ledgers.hpp"

namespace epochcast::jobs {

/// Closes the open rows of OUT's ledgers whose points `points` has as ended; does nothing where OUT
/// has no ledger. A run that was ended before its training did is censored, not missing.
void close_ledger_rows(const OutFolder& out, const std::vector<PointStatus>& points,
                       const Tell& tell);

}  // namespace epochcast::jobs
