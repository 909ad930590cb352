// Runs another program to its end, or to a time limit: how Slurm is asked anything.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace epochcast::process {

struct CommandResult {
  int status = 0;  ///< Its exit status; 128 + n: ended by signal n; 127: it could not be started.
  std::string out;
  std::string err;  ///< Where it could not be started: why.
  bool timed_out = false;

  bool ok() const { return status == 0 && !timed_out; }
};

/// Runs `words` (found by PATH, no shell between) with nothing on standard input and
/// `extra_environment` on top of ours. At the time limit it is killed with all it started; what it
/// had printed until then is kept.
CommandResult run_command(const std::vector<std::string>& words, double timeout_s,
                          const std::map<std::string, std::string>& extra_environment = {});

}  // namespace epochcast::process
