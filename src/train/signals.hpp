// The wish to stop early: Slurm's warning before the time limit (SIGUSR1), scancel and preemption
// (SIGTERM), a person (SIGINT). The loop sees it between two batches; nothing is interrupted.
#pragma once

#include <atomic>

namespace epochcast::train {

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

/// From now on SIGUSR1, SIGTERM and SIGINT to the process set the flag it returns instead of ending
/// it, and a reader of our output that goes away (SIGPIPE) does not end it either. To be called
/// before other threads start: a thread of its own takes the signals, and none that computes is
/// ever interrupted. oneDNN's products need that: they move the stack pointer into a buffer of the
/// heap, where the kernel would lay a handler's frame over whatever is there (uxlfoundation/oneDNN
/// issue 4845; LibTorch 2.11 has it).
const StopFlag& install_stop_signals();

}  // namespace epochcast::train
