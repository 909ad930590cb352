// The wish to stop early: Slurm's warning before the time limit (SIGUSR1), scancel and preemption (SIGTERM),
// a person (SIGINT). The loop sees it between two batches; nothing is interrupted.
#pragma once

#include <atomic>

namespace epochcast {

class StopFlag {
 public:
  /// Safe inside a signal handler. A second request changes nothing: the first is being obeyed.
  void request(int signal) {
    int none = 0;
    signal_.compare_exchange_strong(none, signal, std::memory_order_relaxed);
  }
  /// The signal; 0 while nothing was requested.
  int signal() const { return signal_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> signal_{0};
  static_assert(std::atomic<int>::is_always_lock_free);
};

/// From now on SIGUSR1, SIGTERM and SIGINT set the flag it returns instead of ending the process, and a reader of
/// our output that goes away (SIGPIPE) does not end it either.
const StopFlag& install_stop_signals();

}  // namespace epochcast
