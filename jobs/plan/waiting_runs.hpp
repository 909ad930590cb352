// Forecasts of the full runs that wait for a pilot, as rows of the ledger.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::jobs {

/// A forecast from the pilot's record, with a time limit, for every point of OUT that waits for it.
/// The limit is the allocation's if there is no forecast or if it is longer than that. Throws Error
/// if OUT has no such pilot, RunError if the pilot has no record.
std::vector<ledger::LedgerRow> forecasts_from(const OutFolder& out, const std::string& pilot);

/// What the pilot of a program of the user's showed: "2 epochs and 187 steps recorded"; "" for
/// a pilot of epochcast-train, which always shows them.
std::string progress_shown_by(const OutFolder& out, const std::string& pilot);

/// Pilots of the plan that have ended, but that the ledger has no forecast of.
std::vector<std::string> pilots_without_forecast(const OutFolder& out);

}  // namespace epochcast::jobs
