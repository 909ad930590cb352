// A script run as a child of its own: bound to CPUs, its output in a log, its time limited as Slurm
// limits it.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace epochcast::process {

struct ChildSpec {
  std::string script;     ///< Run with bash.
  std::string log;        ///< Standard output and error are appended to it.
  std::vector<int> cpus;  ///< It and its children run on these only.
  /// On top of ours, from which SLURM_* and SBATCH_* are taken.
  std::map<std::string, std::string> environment;
  double limit_s = 0;       ///< 0: none.
  double lead_s = 0;        ///< USR1 comes so long before the limit.
  double kill_wait_s = 30;  ///< KILL comes so long after TERM, as Slurm's KillWait.
};

/// How it ended.
struct ChildEnd {
  int status = 0;  ///< Exit status; 128 + n: ended by signal n.
  double wall_s = 0;
  bool timed_out = false;    ///< The limit was reached.
  bool interrupted = false;  ///< We were asked to stop (SIGINT, SIGTERM, SIGHUP) and passed it on.
};

/// Runs it to its end. USR1 goes to the script, as `--signal=B:` does; TERM and KILL to all it
/// started. Throws RunError where it cannot be started.
ChildEnd run_child(const ChildSpec& spec);

/// From now on SIGINT, SIGTERM and SIGHUP are noted for run_child instead of ending this process.
void note_interrupts();
bool is_interrupted();

}  // namespace epochcast::process
