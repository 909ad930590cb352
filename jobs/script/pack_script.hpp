// The script of a job that runs several points of an allocation.
#pragma once

#include <string>

#include "jobs/cluster/cluster.hpp"
#include "jobs/script/script.hpp"

namespace epochcast::jobs {

/// `files`: what the names of its files begin with. A line of .points is a point and the seconds
/// that it may need (0: not known). The job runs the scripts of the points in that order,
/// `pack.parallel` at a time, each with its log and with srun steps that have a point's share of
/// the job. It begins no point that may not end in what is left; those it gives back and
/// submits again. The journal gets a line for each that has ended or was given back. A file in
/// .cancelled has the name of a point that is ended alone, or not begun, and says how: saves,
/// at_once.
std::string pack_script_text(const AllocationProfile& site, const ScriptContext& context,
                             const std::string& files);

}  // namespace epochcast::jobs
