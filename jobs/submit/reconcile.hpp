// Finds the jobs of submissions that got no answer.
#pragma once

#include <cstddef>

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Closes every open intent of the journal: with the job that has its token or its claim, or as
/// dropped if the scheduler answers and has no such job. Returns the number of points that have a
/// job. Throws RunError if the controller does not answer; then all intents stay open.
[[nodiscard]] std::size_t reconcile(Journal& journal, const OutFolder& out);

}  // namespace epochcast::jobs
