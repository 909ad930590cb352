// A thread inherits the signal mask of the thread that starts it.
#pragma once

#include <csignal>

namespace epochcast {

/// Blocks all signals in this thread while it lives. A thread that is started meanwhile receives
/// none: they go to the threads whose waits they are to end.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace epochcast
