// The full screen of the terminal on standard input and output. screen.cpp is the only file that
// includes ncurses.
#pragma once

#include <memory>
#include <string>

#include "src/output/terminal/grid.hpp"

namespace epochcast::terminal {

enum class KeyName {
  none,       ///< No key was pressed in time.
  character,  ///< A letter, digit or sign.
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  home,
  end,
  enter,
  escape,
  backspace,
  other  ///< A key without a meaning here; also: the size of the terminal has changed.
};

struct Key {
  KeyName name = KeyName::none;
  std::string text = {};  ///< Of a character, in UTF-8.
  bool operator==(const Key&) const = default;
};

/// Takes the terminal over, until it is destroyed. The terminal is given back as it was in every
/// case but SIGKILL: at the end of the object's life, in std::exit, while the program is suspended
/// (Ctrl-Z), and before a signal ends the program. There may be one at a time.
///
/// Other threads must block signals (BlockedSignals): a suspension that ran in one would draw
/// beside this one.
class Screen {
 public:
  /// nullptr with the `reason` where the terminal cannot show a full screen: standard input or
  /// output is none, TERM has no entry in the terminfo database, or the cursor cannot be moved.
  static std::unique_ptr<Screen> open(std::string& reason);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// The size now; it changes with the window.
  Size size() const;
  /// Shows `grid`; sends only what has changed. Characters that the terminal's encoding lacks are
  /// replaced.
  void draw(const Grid& grid);
  /// Waits for a key, up to `timeout_ms`; returns early when a signal arrives.
  Key wait(int timeout_ms);
  /// Forgets keys that were pressed and not read yet.
  void discard_keys();
  /// The signal that asks the program to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT); 0: none.
  static int end_signal();

 private:
  Screen();
};

}  // namespace epochcast::terminal
