// Runs the program to its end: signals, the window of the terminal, job control.
#pragma once

#include <memory>
#include <string>

#include "src/base/process/held_signals.hpp"
#include "src/base/process/keeper.hpp"
#include "src/base/process/terminal.hpp"
#include "src/runner/stop_file.hpp"
#include "src/runner/streams.hpp"

namespace epochcast::runner {

class KeyRelay;
class Limit;

/// Whether the signal asks a program to save or to end.
bool asks_to_stop(int signal);

/// scancel, a preemption, the time limit and the end of a node signal all processes of a job one
/// after the other: the program may be gone before its signal arrives here. Waits up to a second
/// for one that asks to stop; 0: none came.
int late_signal(const process::HeldSignals& signals);

/// How the program ended.
struct CommandEnd {
  int state = 0;      ///< As waitpid gives it.
  int passed_on = 0;  ///< The last signal that was forwarded to it; 0: none.
};

class Control {
 public:
  struct Parts {
    const std::string& program;
    process::Keeper& keeper;
    const process::HeldSignals& signals;
    const Streams& streams;
    process::OuterTerminal& outer;
    const StopFile& stop;
    Limit& limit;
  };
  explicit Control(const Parts& parts);
  ~Control();
  Control(Control&&) = delete;

  /// Starts the program and returns when it and all its processes have ended. Throws Error
  /// "PROGRAM: cannot be started: REASON".
  CommandEnd run();

 private:
  void start();
  void receive();
  void pass_on(const process::HeldSignal& signal);
  void save_by_own_signal();
  void stop_with_program();
  void take_keys();

  Parts parts_;
  CommandEnd end_;
  bool all_ended_ = false;
  std::unique_ptr<KeyRelay> keys_;  ///< While this process is in the foreground.
};

}  // namespace epochcast::runner
