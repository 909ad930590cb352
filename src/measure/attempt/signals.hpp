// Requests to stop early: the warning of Slurm before the time limit (SIGUSR1), scancel and
// preemption (SIGTERM), the user (SIGINT). The loop checks for them between two batches; no step is
// interrupted.
#pragma once

#include <atomic>

namespace epochcast::attempt {

class StopFlag {
 public:
  /// Safe inside a signal handler. A second request has no effect: the first one is already in
  /// progress.
  void request(int signal) {
    int none = 0;
    signal_.compare_exchange_strong(none, signal, std::memory_order_relaxed);
  }
  /// The requested signal; 0 if there was no request.
  int signal() const { return signal_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> signal_{0};
  static_assert(std::atomic<int>::is_always_lock_free);
};

/// From this call on, SIGUSR1, SIGTERM and SIGINT to the process set the returned flag instead of
/// ending the process. SIGPIPE, which the process receives if the reader of its output exits, does
/// not end it either. Call it before other threads start: a separate thread receives the signals,
/// and no thread that computes is ever interrupted. The matrix products of oneDNN require this:
/// they move the stack pointer into a buffer on the heap, where the kernel would overwrite existing
/// data with the frame of a handler (uxlfoundation/oneDNN issue 4845; LibTorch 2.11 is affected).
const StopFlag& install_stop_signals();

}  // namespace epochcast::attempt
