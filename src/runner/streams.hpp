// How the program's standard streams are connected: to a pseudo-terminal, to pipes, or to those of
// this process.
#pragma once

#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/process/spawn.hpp"
#include "src/base/process/terminal.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"
#include "src/runner/outlet.hpp"

namespace epochcast::runner {

/// Which of the program's outputs are a terminal for it.
struct StreamPlan {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool in_is_terminal = false;  ///< Keys come through the pseudo-terminal.
  bool any_terminal() const { return out_is_terminal || err_is_terminal; }
};

/// `mode` is auto, pty or pipe. auto: an output is a terminal for the program exactly where it is
/// one for this process, so the program prints what it would print by itself. pty: both outputs
/// are, for bars that are not printed elsewhere. Standard input comes through the pseudo-terminal
/// if it is a terminal here and there is one for an output.
StreamPlan plan_streams(const std::string& mode);

/// A descriptor to read the program's output from, and where it goes.
struct Source {
  int from = -1;
  Outlet* to = nullptr;
  progress::Stream stream = progress::Stream::terminal;
};

class Streams {
 public:
  /// Throws RunError.
  Streams(const StreamPlan& plan, const Clock& clock);

  const StreamPlan& plan() const { return plan_; }
  /// Adds the program's ends.
  void connect(process::SpawnSpec& program) const;
  std::vector<int> ours() const;
  std::vector<int> programs() const;
  /// In this process, once another holds them for the program.
  void close_programs();

  std::vector<Source> sources();
  /// The end of the pseudo-terminal that is ours; -1: there is none.
  int terminal() const { return terminal_.ours.number(); }
  /// Gives the pseudo-terminal the window size of the outer one, if there are both.
  void take_window_size() const;
  /// "standard output: No space left on device": which output was lost, and why; "": none was.
  std::string lost_output() const;
  /// Where lines of ours go. The same as the program's, if both are one file.
  Outlet& messages() { return *err_outlet_; }

 private:
  struct Pipe {
    Descriptor ours{-1};
    Descriptor programs{-1};
  };
  static Pipe open_pipe();

  StreamPlan plan_;
  process::PseudoTerminal terminal_;
  Pipe out_;
  Pipe err_;
  Outlet out_outlet_;
  Outlet own_err_outlet_;
  Outlet* err_outlet_;
};

}  // namespace epochcast::runner
