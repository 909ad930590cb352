// Runs any program as a child that shares the standard streams, and forwards signals to it.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace epochcast::process {

/// How a watched program ended.
struct WatchedEnd {
  int exit_status = 0;  ///< If it ended by itself.
  int signal = 0;       ///< The signal that ended it; 0: none.
  int passed_on = 0;    ///< The last signal that was forwarded to it; 0: none.
};

/// Blocks SIGUSR1, SIGTERM, SIGHUP, SIGINT and SIGCHLD until it is destroyed; wait() receives them.
/// Create it first, so that a signal that arrives during the preparation is not lost.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& before() const { return before_; }
  siginfo_t wait() const;

 private:
  sigset_t held_{};
  sigset_t before_{};
};

/// Runs `words` (found by PATH, without a shell) to its end. The held signals are forwarded to the
/// program; a signal of the terminal has reached it already. Throws Error "PROGRAM: cannot be
/// started: REASON".
[[nodiscard]] WatchedEnd watch(const std::vector<std::string>& words, const HeldSignals& signals);

}  // namespace epochcast::process
