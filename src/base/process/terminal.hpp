// Pseudo-terminals, and the terminal that this program was started on.
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include <optional>

#include "src/base/core/descriptor.hpp"

namespace epochcast::process {

/// The two ends of a pseudo-terminal.
struct PseudoTerminal {
  Descriptor ours{-1};
  Descriptor programs{-1};
};

/// Opens a pseudo-terminal of the window size `size`, set up like `like` if given. It does not
/// change what is written: a line feed stays a line feed, also if `like` would add a carriage
/// return. Throws RunError.
PseudoTerminal open_pseudo_terminal(const winsize& size, const std::optional<termios>& like);

/// The window size of the first of the standard streams that is a terminal; std::nullopt: none is.
std::optional<winsize> window_size();

/// The user's terminal on standard input while another terminal is between it and a program: every
/// key goes to the program, which interprets ctrl-C itself. Output is not changed.
class OuterTerminal {
 public:
  OuterTerminal();
  ~OuterTerminal() { restore(); }
  OuterTerminal(OuterTerminal&&) = delete;

  /// Passes on every key, if standard input is a terminal and this process is in its foreground.
  /// Returns whether it does.
  bool pass_keys_on();
  /// Sets the terminal as it was.
  void restore();
  /// As the terminal was at the start; std::nullopt: standard input is no terminal.
  const std::optional<termios>& before() const { return before_; }

 private:
  std::optional<termios> before_;
  bool changed_ = false;
};

}  // namespace epochcast::process
