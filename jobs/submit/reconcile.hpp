// What became of submissions whose answer was lost.
#pragma once

#include <string>

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Closes every open intent of the journal: with the job that has its token (or its claim), or as
/// dropped when the scheduler answers and has none. Returns how many points turned out to have a
/// job. Throws RunError where the controller does not answer; nothing is closed on a guess.
std::size_t reconcile(Journal& journal, const OutFolder& out);

/// The name under which a submission's job is known: its point, or for an array a name with the
/// token.
std::string job_name_of(const Submission& submission);

}  // namespace epochcast::jobs
