// The batch script of a point. The same script runs with sbatch, as an element of an array, and in
// the local runner without Slurm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/cluster/retry.hpp"
#include "jobs/experiment/matrix.hpp"
#include "src/record/run/task.hpp"

namespace epochcast::jobs {

/// The settings that all scripts of an output folder share.
struct ScriptContext {
  std::string out;                   ///< The output folder, absolute.
  std::string experiment;            ///< Name of the experiment.
  std::string trainer;               ///< Program for allocations without one.
  bool slurm = true;                 ///< False: for the local runner, without #SBATCH lines.
  bool wraps_command = false;        ///< The experiment has a command, which epochcast-run runs.
  bool resumes = true;               ///< The program can go on from a checkpoint.
  bool pilot_has_arguments = false;  ///< Arguments in the experiment shorten its pilots.
  /// Programs beside the trainer that scripts start too: epochcast-load, epochcast-stream.
  std::vector<std::string> helper_programs = {};
  Seconds checkpoint_lead = {};  ///< lead_before_limit of the program, without the site's signal.
  std::string then = {};  ///< A shell command after a program that succeeded or stopped early.
};

/// What is done about a point of such a task that ended without its result. Of a task that cannot
/// go on, no time limit.
Retry retry_of(run::Task task, const AllocationProfile& site, const ScriptContext& context);

/// The script of one point. Throws Error for text that a script cannot contain (a line break).
std::string script_text(const Point& point, const AllocationProfile& profile,
                        const ScriptContext& context);

/// A script for a job array. Element i runs the point in line i + 1 of the file `table`.
std::string array_script_text(const AllocationProfile& profile, const ScriptContext& context,
                              const std::string& table);

/// The program that a script starts: the site's trainer, otherwise the context's; for a command,
/// epochcast-run in the same folder.
std::string program_of(const AllocationProfile& site, const ScriptContext& context);

/// The program `name` in the folder of the trainer.
std::string program_beside_trainer(const std::string& trainer, std::string_view name);

/// The first program that a script starts, if it is not executable; otherwise "". If there is a
/// wrapper (apptainer exec ...), the trainer is in the container and is not checked.
std::string missing_program(const AllocationProfile& site, const ScriptContext& context);

}  // namespace epochcast::jobs
