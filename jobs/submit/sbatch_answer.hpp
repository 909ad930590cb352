// The answer of sbatch to a submission.
#pragma once

#include <string>

#include "src/base/process/command.hpp"

namespace epochcast::jobs {

/// A job, a refusal, or neither for certain.
struct SbatchAnswer {
  enum class Kind { job, refused, unknown } kind;
  std::string text;  ///< The job's id, or the reason.
};

/// A connection error is `unknown`: the controller may have accepted the job before it.
SbatchAnswer read_answer(const process::CommandResult& result);

}  // namespace epochcast::jobs
