// The runs whose shape the forecasts of a plan may use.
#pragma once

#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/pilot_forecast.hpp"

namespace epochcast::jobs {

/// The same with absolute paths. Throws Error: a path has no record, or no record there has one of
/// the parameters.
RelativesAsked checked(RelativesAsked asked);

/// The records that were named, and of the complete runs of this experiment in the user's ledger,
/// the newest whose records are still where the ledger says. Damaged ones are left out.
/// Never fails: without them a pilot is forecast from itself.
KnownRuns known_runs(const RelativesAsked& asked, const std::string& experiment);

}  // namespace epochcast::jobs
