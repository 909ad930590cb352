// What sbatch said to a submission.
#pragma once

#include <string>

#include "src/process/command.hpp"

namespace epochcast::jobs {

/// A job, a refusal, or nothing that can be relied on.
struct Answer {
  enum class Kind { job, refused, unknown } kind;
  std::string text;  ///< The job's id, or the reason.
};

/// An error of the connection is "unknown": it may come after the controller took the job.
Answer read_answer(const process::CommandResult& result);

}  // namespace epochcast::jobs
