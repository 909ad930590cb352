// Past jobs of a cluster as a file: a history of 'import sacct', or a published table of jobs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::analysis {

/// "job,submitted_at,..." or "submit,eligible_after_s,...", as the help names them.
std::string accounted_columns();

/// A job with its times, in seconds since 1970; infinite: not known.
struct FileJob {
  slurm::AccountedJob job;
  double submitted_s;
  double eligible_s;
  double started_s;
  double ended_s;
  bool is_scored;  ///< Else it is only learned from.
};

/// The jobs of a history, or of a table with seconds after submission (submit, eligible_after_s,
/// start_after_s, elapsed_s, limit_s, partition, account, nodes, cpus, gpus, state), and those of
/// files to learn from, by time of submission. Damaged rows are left out and counted. Throws Error
/// if a column is missing, no row can be used or nothing to learn was before the jobs of `file`.
std::vector<FileJob> accounted_jobs(const CsvFile& file, const std::vector<CsvFile>& learn,
                                    ExcludedRows& excluded);

/// Whether one of the jobs in these places is scored.
bool any_scored(const std::vector<FileJob>& jobs, const std::vector<std::size_t>& places);

/// "110545 jobs", "61234 jobs, after 49311 that are only learned from".
std::string counted_jobs(const std::vector<FileJob>& jobs);

/// Some of the scored jobs.
struct JobPart {
  std::string name;
  std::function<bool(const FileJob&)> has;
};

/// All, each half of the time, with and without a GPU. `jobs` by time of submission, one scored.
std::vector<JobPart> job_parts(const std::vector<FileJob>& jobs);

}  // namespace epochcast::analysis
