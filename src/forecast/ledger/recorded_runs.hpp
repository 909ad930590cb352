// The records of runs that a ledger knows.
#pragma once

#include <string>
#include <vector>

namespace epochcast::ledger {

/// The records of the newest complete runs of an experiment in the user's ledger (user_ledger),
/// newest first, as far as they are still where the ledger says, at most 50. Throws Error if the
/// file is not a ledger.
std::vector<std::string> records_of_experiment(const std::string& experiment);

}  // namespace epochcast::ledger
