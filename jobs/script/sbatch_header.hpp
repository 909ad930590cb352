// The #SBATCH lines of a script, in the forms that the site accepts.
#pragma once

#include <string>
#include <string_view>

#include "jobs/cluster/cluster.hpp"
#include "jobs/script/script_lines.hpp"

namespace epochcast::jobs {

/// Every #SBATCH line for the allocation. `log` is a pattern such as "%x-%j.out" in the folder
/// OUT/logs. Throws Error for text that an #SBATCH line cannot contain.
void add_sbatch_header(Lines& lines, const AllocationProfile& site, std::string_view out,
                       std::string_view job_name, std::string_view log);

/// `value` for an #SBATCH line, quoted if necessary. Throws Error for a line break, and for text
/// that is longer than sbatch's buffer.
std::string sbatch_quote(std::string_view value);

/// A time limit in Slurm's notation, rounded up to whole minutes: "0-02:30:00".
std::string slurm_time(Seconds time);

}  // namespace epochcast::jobs
