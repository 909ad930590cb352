// Runs another program to its end, or to a time limit. All calls of Slurm's commands use it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace epochcast::process {

struct CommandResult {
  int status = 0;   ///< Exit status; 128 + n: ended by signal n; 127: it could not be started.
  std::string out;  ///< What it printed on standard output.
  std::string err;  ///< The same of standard error; if it could not be started, the reason.
  bool timed_out = false;

  bool ok() const { return status == 0 && !timed_out; }
};

/// Runs `words` (found by PATH, without a shell). Its standard input is empty, and
/// `extra_environment` is added to the environment. After `timeout_s` seconds the program and all
/// that it started are killed, or once it has printed more than 128 MiB, which `err` then says; the
/// output up to then is kept.
[[nodiscard]] CommandResult run_command(
    const std::vector<std::string>& words, double timeout_s,
    const std::map<std::string, std::string>& extra_environment = {});

/// Whether `program`, a path or a name in PATH, can be executed.
bool is_executable(const std::string& program);

}  // namespace epochcast::process
