// What earlier versions kept beside the journal.
#pragma once

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// The journal of a folder. Jobs that an earlier version submitted note the ends of points and what
/// they have left in files of their own; so did that version with releases and cancellations.
Journal read_journal(const OutFolder& out);

}  // namespace epochcast::jobs
