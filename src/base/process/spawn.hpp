// Starts other programs; the only place where our programs do so.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace epochcast::process {

struct SpawnSpec {
  std::vector<std::string> words;  ///< The program, found by PATH, and its arguments; no shell.
  std::map<std::string, std::string> environment = {};  ///< Added to the environment of the caller.
  std::vector<std::string> without = {};  ///< Prefixes of variables of the caller to remove.
  int in = -1;  ///< Descriptors of its standard streams; -1: the caller's.
  int out = -1;
  int err = -1;
  std::string folder = {};       ///< Where it starts; empty: where the caller is.
  std::vector<int> cpus = {};    ///< CPUs to bind it to; empty: those of the caller.
  bool own_group = false;        ///< It leads a process group of its own.
  bool end_with_parent = false;  ///< It gets SIGTERM when the calling thread ends.
  bool die_with_parent = false;  ///< It gets SIGKILL when the calling thread ends.
  int terminal = -1;  ///< It leads a session with this controlling terminal; -1: the caller's.
  std::optional<sigset_t> signal_mask;  ///< Signals it blocks; std::nullopt: those of the caller.
};

/// A process, or the reason why there is none.
struct Spawned {
  pid_t pid = -1;
  int error = 0;            ///< errno of the first step that failed; 0: the program runs.
  bool no_process = false;  ///< The system refused a process; otherwise the program cannot be run.

  bool ok() const { return error == 0; }
  /// "PROGRAM: cannot be started: No such file or directory".
  std::string error_text(const std::string& program) const;
};

/// Starts a program. Signals that the caller catches have their default action in it.
[[nodiscard]] Spawned spawn(const SpawnSpec& spec);

/// The exit status of waitpid's `state`, as a shell gives it: 128 + n for signal n.
int exit_status_of(int state);

}  // namespace epochcast::process
