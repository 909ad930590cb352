// What a script asks of sbatch: its #SBATCH lines, in the forms the site takes.
#pragma once

#include <string>
#include <string_view>

#include "jobs/cluster/cluster.hpp"
#include "jobs/script/script_lines.hpp"

namespace epochcast::jobs {

/// Every #SBATCH line for the allocation. `log` is a pattern such as "%x-%j.out" in the folder
/// OUT/logs. Throws Error for text that no #SBATCH line can express.
void add_sbatch_header(Lines& lines, const AllocationProfile& site, std::string_view out,
                       std::string_view job_name, std::string_view log);

/// `value` as sbatch reads it in an #SBATCH line: quoted where it must be. Throws Error for a line
/// break and for more than sbatch's buffer holds.
std::string sbatch_quote(std::string_view value);

/// Slurm's form of a time limit, rounded up to whole minutes as Slurm does: "0-02:30:00".
std::string slurm_time(Seconds time);

}  // namespace epochcast::jobs
