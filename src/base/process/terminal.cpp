#include "src/base/process/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pty.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/core/error.hpp"

namespace epochcast::process {

PseudoTerminal open_pseudo_terminal(const winsize& size, const std::optional<termios>& like) {
  int ours = -1;
  int programs = -1;
  if (openpty(&ours, &programs, nullptr, like ? &*like : nullptr, &size) != 0) {
    throw RunError(fmt::format("cannot open a pseudo-terminal: {}", std::strerror(errno)));
  }
  PseudoTerminal pair{Descriptor(ours), Descriptor(programs)};
  fcntl(ours, F_SETFD, FD_CLOEXEC);
  fcntl(programs, F_SETFD, FD_CLOEXEC);
  termios mode{};
  tcgetattr(programs, &mode);
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  tcsetattr(programs, TCSANOW, &mode);
  return pair;
}

std::optional<winsize> window_size() {
  winsize size{};
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    if (ioctl(stream, TIOCGWINSZ, &size) == 0) {
      return size;
    }
  }
  return std::nullopt;
}

OuterTerminal::OuterTerminal() {
  termios mode{};
  if (tcgetattr(STDIN_FILENO, &mode) == 0) {
    before_ = mode;
  }
}

bool OuterTerminal::pass_keys_on() {
  if (!before_ || tcgetpgrp(STDIN_FILENO) != getpgrp()) {  // a change would stop this process
    return false;
  }
  termios mode = *before_;
  cfmakeraw(&mode);
  mode.c_oflag = before_->c_oflag;  // the program's line feeds begin a line
  changed_ = tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0;
  return changed_;
}

void OuterTerminal::restore() {
  if (changed_ && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
    tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  }
  changed_ = false;
}

}  // namespace epochcast::process
