// Any program run as a child: our standard streams are its own, and the wish to stop is passed on.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace epochcast::process {

/// How a watched program ended.
struct WatchedEnd {
  int exit_status = 0;  ///< If it ended by itself.
  int signal = 0;       ///< The signal that ended it; 0: none.
  int passed_on = 0;    ///< The last signal that we got and passed on; 0: none.
};

/// From construction to destruction SIGUSR1, SIGTERM, SIGHUP, SIGINT and SIGCHLD wait until they
/// are asked for: made first of all, so that the wish to stop is not lost, nor ends us, while we
/// prepare.
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

/// Runs `words` (found by PATH, no shell between) to its end. The held signals do not end this
/// process but go to the program; an interrupt from the terminal has reached it already. Throws
/// Error "PROGRAM: cannot be started: reason".
WatchedEnd watch(const std::vector<std::string>& words, const HeldSignals& signals);

}  // namespace epochcast::process
