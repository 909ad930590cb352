// The script of a job that runs several points of an allocation.
#pragma once

#include <string>

#include "jobs/cluster/cluster.hpp"
#include "jobs/script/script.hpp"

namespace epochcast::jobs {

/// A line of `table` is a point and the seconds that it may need (0: not known). The job runs the
/// scripts of the points in that order, `pack.parallel` at a time, each with its log and with srun
/// steps that have a point's share of the job. It begins no point that may not end in what is left;
/// those it marks as released and submits again. A line of the file `ended` is a point and the exit
/// status of its script, with "out_of_memory" if Slurm killed it for that.
std::string pack_script_text(const AllocationProfile& site, const ScriptContext& context,
                             const std::string& table, const std::string& ended);

}  // namespace epochcast::jobs
