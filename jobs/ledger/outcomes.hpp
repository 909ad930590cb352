// Closes the rows of the ledger as their jobs end.
#pragma once

#include <vector>

#include "jobs/campaign/status.hpp"
#include "jobs/ledger/ledgers.hpp"

namespace epochcast::jobs {

/// Closes the open rows of points that have ended; does nothing if OUT has no ledger. A run that
/// ended before its training was complete is censored, not missing.
void close_ledger_rows(const OutFolder& out, const std::vector<PointStatus>& points,
                       const Tell& tell);

}  // namespace epochcast::jobs
