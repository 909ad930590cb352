// The resources that Slurm allocated to a job: the output of `scontrol show job -d` as a struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/slurm/job_environment.hpp"

namespace epochcast::slurm {

struct JobInfo {
  std::string partition;
  std::string account;
  std::string qos;
  std::string features;  ///< The constraint.
  std::string node_list;
  std::string submitted_at;
  std::string started_at;
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;
  std::int64_t cpus = 0;  ///< CPUs of the whole job, as charged.
  std::int64_t cpus_per_task = 0;
  std::int64_t gpus = 0;          ///< GPUs of the whole job.
  std::string gpu;                ///< Type; empty: the site does not name types.
  std::int64_t memory_bytes = 0;  ///< Per node.
  double time_limit_s = 0;        ///< Infinite if there is none.
  std::int64_t restarts = 0;
  bool exclusive = false;
  std::string exit_code;  ///< "75:0": status and signal of its script; "0:0" until it ends.
  bool step_out_of_memory = false;  ///< A step of the job was killed for its memory.
  std::int64_t points_at_once = 1;  ///< Of a job that runs several points; the rest is one's share.
  bool shares_gpu = false;          ///< Those points have the same GPUs.
};

/// Parses the multi-line form of `scontrol show job -d`. For the first element of an array, Slurm
/// prints all elements, so the function searches for `job_id`; std::nullopt if it is not there.
std::optional<JobInfo> parse_job_info(std::string_view text, std::string_view job_id);

/// Queries Slurm; std::nullopt if it does not answer in time, does not know the job, or is not
/// installed.
std::optional<JobInfo> query_job_info(const std::string& job_id, double timeout_s);

/// The job's information as the script of the job handed it in (EPOCHCAST_JOB_INFO: a container may
/// have no scontrol), otherwise Slurm's answer. Of a job that runs several points, the share of
/// this one (EPOCHCAST_PACK): tasks, CPUs, GPUs, memory, and the time from its own start.
std::optional<JobInfo> job_info(const Environment& environment, const std::string& job_id,
                                double timeout_s);

}  // namespace epochcast::slurm
