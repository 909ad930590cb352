// Reads the accounting of past jobs from the text that `sacct -P` prints.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/slurm/accounted_job.hpp"

namespace epochcast::slurm {

struct Accounting {
  std::vector<AccountedJob> jobs;     ///< Those that have ended, in the order of the text.
  std::size_t not_ended = 0;          ///< Jobs that are pending or running.
  std::vector<std::string> problems;  ///< Lines that could not be read: "FILE:LINE: ...".
};

/// Reads the output of `sacct -P` (or --parsable, or with another --delimiter) of Slurm 20.11 or
/// newer, with its header. Columns go by name, in any order; ElapsedRaw, TimelimitRaw and AllocTRES
/// are preferred where there are several for the same. Steps are part of their job. With -D, the
/// lives of a job that was requeued are jobs of their own, numbered by AccountedJob::restarts;
/// without it, the column Restarts tells the number. Throws Error (FILE:LINE) if the text has no
/// such header.
Accounting read_accounting(std::string_view text, const std::string& file);

/// What sacct answers, or why it does not.
struct PastJobsAnswer {
  bool answered = false;
  std::string error;  ///< In one line.
  Accounting accounting;
};

}  // namespace epochcast::slurm
