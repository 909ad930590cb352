// The options of sbatch that scripts contain, and the key of the profile that says each.
#pragma once

#include "jobs/cluster/cluster.hpp"

namespace epochcast::jobs {

/// Throws Error for an entry of `sbatch:` that repeats an option of the script, in any spelling of
/// sbatch (--opt=value, --opt value, -o value, -ovalue, several in one entry, an abbreviation): the
/// last one would win without a word, and the record and `check` would not know it. The message
/// names the key to use.
void check_sbatch_entries(const AllocationProfile& site);

/// The nodes of --exclude (-x) in `sbatch:`, which an option of the command line would replace.
/// Throws Error for a file of nodes.
std::vector<std::string> nodes_excluded_by(const AllocationProfile& site);

}  // namespace epochcast::jobs
