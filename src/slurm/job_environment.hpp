// What a job knows of itself from its environment.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace epochcast::slurm {

using Environment = std::map<std::string, std::string>;

/// The environment of this process.
Environment current_environment();

/// The value of `name`, or "" where it is not set.
std::string variable(const Environment& environment, const std::string& name);

/// A whole number from 0 on; 0 where the variable is not set. Throws Error naming the variable
/// where it is none.
std::int64_t count_variable(const Environment& environment, const std::string& name);

struct JobEnvironment {
  std::string job_id;        ///< Of the scheduler (in an array: the element's own), or "local-PID".
  bool under_slurm = false;  ///< Slurm can be asked about job_id.
  std::int64_t restart = 0;  ///< How often it was requeued.
  std::int64_t cpus_per_task = 0;  ///< 0: not said.
};

/// EPOCHCAST_JOB_ID (the local runner's) goes before SLURM_JOB_ID: a local run may itself stand
/// inside a job. Throws Error where a number is none.
JobEnvironment read_job_environment(const Environment& environment);

}  // namespace epochcast::slurm
