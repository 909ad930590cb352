// A small process between this one and a program. It is the parent of the program, and of whatever
// the program's own processes leave behind, and ends all of them: when the program has ended, and
// when this process ends in any way, SIGKILL included.
//
//   epochcast-run ── keeper ── program ── its processes
//
// The keeper is told by a closed socket that this process is gone. If the keeper itself is killed,
// the kernel kills the program, and what the program leaves behind falls to this process.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <optional>
#include <vector>

#include "src/base/core/descriptor.hpp"
#include "src/base/process/spawn.hpp"

namespace epochcast::process {

/// What the keeper reports.
struct KeeperReport {
  enum class Kind {
    started,      ///< `value`: the id of the program's process.
    not_started,  ///< `value`: errno.
    stopped,      ///< By job control; `value`: the signal.
    ended,        ///< The program; `value`: the status of waitpid.
    all_ended     ///< Nothing that the program started runs any more; `value`: what could not be
                  ///< killed. The last report.
  };
  Kind kind = Kind::all_ended;
  int value = 0;
};

struct KeeperSpec {
  SpawnSpec program;
  std::vector<int> close = {};  ///< Descriptors that only this process may hold.
  /// Closed by the keeper once the program has them: an end of file must reach this process.
  std::vector<int> close_when_started = {};
  double grace_s = 5;  ///< Between SIGTERM and SIGKILL for processes that are left over.
  /// Set on standard input if this process is killed while it has changed the terminal.
  std::optional<termios> terminal_before = std::nullopt;
};

class Keeper {
 public:
  /// Starts the keeper, which waits for start(). Must be called while this process has one thread.
  /// Throws RunError.
  explicit Keeper(const KeeperSpec& spec);
  /// Ends the program and all its processes if they still run; waits for that.
  ~Keeper();
  Keeper(Keeper&&) = delete;

  void start();
  /// Sends a signal to the program itself. Never reaches another process that got its id.
  void signal(int number);
  /// Sends it to the program and its process group: for what a terminal would send.
  void signal_group(int number);
  /// Ends the rest of the program's processes: SIGTERM, and SIGKILL after the grace time.
  void end_all();

  pid_t pid() const { return pid_; }
  /// Readable when a report waits.
  int descriptor() const { return socket_.number(); }
  /// Waits for the next report. A keeper that was killed reports `ended` by SIGKILL, then
  /// `all_ended`, after this process has killed what is left.
  KeeperReport report();

 private:
  Descriptor socket_;
  pid_t pid_ = -1;
  bool has_ended_ = false;
};

}  // namespace epochcast::process
