// What Slurm really gave a job: `scontrol show job -d` as a struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
  std::int64_t cpus = 0;  ///< Of the whole job, as charged.
  std::int64_t cpus_per_task = 0;
  std::int64_t gpus = 0;          ///< Of the whole job.
  std::string gpu;                ///< Type; empty: the site has none.
  std::int64_t memory_bytes = 0;  ///< A node.
  double time_limit_s = 0;        ///< Infinite where there is none.
  std::int64_t restarts = 0;
  bool exclusive = false;
};

/// Reads the many-line form of `scontrol show job -d`; asked for the first element of an array,
/// Slurm shows all of them, so the job is looked for by its id. Nothing if it is not there.
std::optional<JobInfo> parse_job_info(std::string_view text, std::string_view job_id);

/// Asks Slurm; nothing where it does not answer in time, does not know the job, or is not
/// installed.
std::optional<JobInfo> query_job_info(const std::string& job_id, double timeout_s);

/// Seconds of Slurm's "m:s", "h:m:s", "d-h", "d-h:m", "d-h:m:s" and "m"; infinite for UNLIMITED.
std::optional<double> parse_slurm_time_s(std::string_view text);

}  // namespace epochcast::slurm
