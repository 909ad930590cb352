// Past jobs of a cluster as a file: a history of 'import sacct', or a published table of jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::analysis {

/// "job,submitted_at,..." or "submit,eligible_after_s,...", as the help names them.
std::string accounted_columns();

/// The jobs of a history, or of a table with seconds after submission (submit, eligible_after_s,
/// start_after_s, elapsed_s, limit_s, partition, account, nodes, cpus, gpus, state), by time of
/// submission. Damaged rows are left out and counted. Throws Error if a column is missing or no row
/// can be used.
std::vector<slurm::AccountedJob> accounted_jobs(const CsvFile& file, ExcludedRows& excluded);

/// The times of such a job, in seconds since 1970; infinite: not known.
struct JobTimes {
  double submitted_s;
  double eligible_s;
  double started_s;
  double ended_s;
};
JobTimes times_of(const slurm::AccountedJob& job);

/// Some of the jobs, by when they were asked for and their GPUs.
struct JobPart {
  std::string name;
  std::function<bool(double at_s, std::int64_t gpus)> has;
};

/// All, each half of the time, with and without a GPU.
std::vector<JobPart> job_parts(double first_s, double last_s);

}  // namespace epochcast::analysis
