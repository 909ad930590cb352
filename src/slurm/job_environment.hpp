// The environment variables of a job.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace epochcast::slurm {

using Environment = std::map<std::string, std::string>;

/// The environment of this process.
Environment current_environment();

/// The value of `name`, or "" if it is not set.
std::string variable(const Environment& environment, const std::string& name);

/// The GPUs that the scheduler gave this process, as CUDA_VISIBLE_DEVICES, else
/// ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES (AMD) names them; "": none is named.
std::string visible_gpus(const Environment& environment);

/// A whole number >=0; 0 if the variable is not set. Throws Error with the variable's name for any
/// other text.
std::int64_t count_variable(const Environment& environment, const std::string& name);

struct JobEnvironment {
  std::string job_id;  ///< Id from the scheduler (in an array: of the element), or "local-PID".
  bool under_slurm = false;        ///< Whether job_id is a Slurm job.
  std::int64_t restart = 0;        ///< Number of times the job was requeued.
  std::int64_t cpus_per_task = 0;  ///< 0: not set.
};

/// EPOCHCAST_JOB_ID (set by `epochcast-jobs run`) has priority over SLURM_JOB_ID: `run` may be
/// called inside a job. Throws Error if a variable is not a number.
JobEnvironment read_job_environment(const Environment& environment);

/// Removes SLURM_* and SBATCH_* from the environment of this process (SLURM_CONF remains). Inside a
/// job, these variables change what sbatch requests: an outer --mem makes an inner --mem-per-cpu an
/// error.
void leave_enclosing_job();

}  // namespace epochcast::slurm
