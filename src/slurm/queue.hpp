// What the scheduler knows of jobs: squeue for those it still holds, sacct for those that are gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

struct Job {
  /// Raw id, as in SLURM_JOB_ID. A pending array element may not have one of its own yet.
  std::string id;
  std::string name;   ///< "123", or "123_4" for element 4 of array 123.
  std::string state;  ///< One word: PENDING, RUNNING, COMPLETED, TIMEOUT, CANCELLED, NODE_FAIL, ...
  std::string reason;  ///< Of a pending job; empty: none.
  std::string comment;
  std::string job_name;
  std::string exit_code;  ///< "75:0": status and signal (sacct only).
  double elapsed_s = 0;
  double submitted_at_s = 0;  ///< Seconds since 1970 (sacct only).
};

/// An answer, or that there was none. No answer is not the same as "there are no jobs".
struct Jobs {
  bool answered = false;
  std::string error;  ///< Why not, in one line.
  std::vector<Job> jobs;
};

/// Whether a job in this state may still run.
bool is_live(std::string_view state);

/// Everything of this user that the controller holds: waiting, running, and ended in the last
/// minutes.
Jobs ask_queue(double timeout_s = 60);

/// What accounting has of `names` ("123", "123_4"). Not answered where accounting is off.
Jobs ask_accounting(const std::vector<std::string>& names, double timeout_s = 60);

/// What accounting has of this user's jobs called `job_name`.
Jobs ask_accounting_by_job_name(const std::string& job_name, double timeout_s = 60);

/// The lines that the two queries print, as jobs.
std::vector<Job> parse_queue(std::string_view text);
std::vector<Job> parse_accounting(std::string_view text);

/// Seconds of Slurm's "1-02:03:04", "02:03:04", "03:04" or "INVALID" (0). "UNLIMITED", "infinite":
/// a negative number.
double parse_slurm_time(std::string_view text);

/// The first line of an error that says something.
std::string first_line(std::string_view text);

}  // namespace epochcast::slurm
