// Runs a script as a child: bound to CPUs, with its output in a log and a time limit like Slurm's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace epochcast::process {

struct ChildSpec {
  std::string script;     ///< Run with bash.
  std::string log;        ///< Its standard output and error are appended to this file.
  std::vector<int> cpus;  ///< CPUs that the script and its children are bound to.
  /// Added to the environment of the caller, without its SLURM_* and SBATCH_*.
  std::map<std::string, std::string> environment;
  double limit_s = 0;       ///< Time limit; 0: none.
  double lead_s = 0;        ///< USR1 is sent this long before the limit.
  double kill_wait_s = 30;  ///< KILL is sent this long after TERM, like Slurm's KillWait.
  /// Called every second while it runs, with the seconds since its start.
  std::function<void(double)> watch = {};
};

/// How the script ended.
struct ChildEnd {
  int status = 0;  ///< Exit status; 128 + n: ended by signal n.
  double wall_s = 0;
  bool timed_out = false;    ///< It reached its limit.
  bool interrupted = false;  ///< This process received SIGINT, SIGTERM or SIGHUP and forwarded it.
};

/// Runs the script to its end. USR1 goes to the script alone, as with `sbatch --signal=B:`; TERM
/// and KILL go to all its processes. Throws RunError if it cannot be started.
[[nodiscard]] ChildEnd run_child(const ChildSpec& spec);

/// From now on SIGINT, SIGTERM and SIGHUP are noted for run_child and do not end this process.
void note_interrupts();
bool is_interrupted();

}  // namespace epochcast::process
