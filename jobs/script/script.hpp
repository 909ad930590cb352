// A point as the text of one batch script: pure. The same script runs under sbatch, as an element
// of an array, and under the local runner without Slurm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

/// What all scripts of one output folder share.
struct ScriptContext {
  std::string out;         ///< The output folder, absolute.
  std::string experiment;  ///< Name of the experiment.
  std::string trainer;     ///< Program for allocations that name none.
  bool slurm = true;       ///< Else the script is for the local runner and has no #SBATCH lines.
  bool watches = false;   ///< The experiment has a command of its own, which epochcast-run watches.
  std::string then = {};  ///< A shell command behind a program that ended well or stopped early.
};

/// The script of one point. Throws Error for text that a script cannot express (a line break).
std::string script_text(const Point& point, const AllocationProfile& site,
                        const ScriptContext& context);

/// A script that runs line i of the file `table` (ids of points, one a line) as element i of a job
/// array.
std::string array_script_text(const AllocationProfile& site, const ScriptContext& context,
                              const std::string& table);

/// The program of ours that a script starts: the site's own trainer or the context's; for a command
/// epochcast-run beside it.
std::string program_of(const AllocationProfile& site, const ScriptContext& context);

/// The program that a script starts first, if it is not there or may not be run; else "". A wrapper
/// (apptainer exec ...) brings its own file system, in which ours cannot be looked for from here.
std::string missing_program(const AllocationProfile& site, const ScriptContext& context);

}  // namespace epochcast::jobs
