// Ends a test's service on a signal.
#pragma once

#include <csignal>
#include <functional>

namespace epochcast::serve {

/// Returns whether SIGTERM, SIGUSR1 or SIGINT came since this call, which blocks them for this
/// thread and those that it starts.
inline std::function<bool()> stop_on_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGUSR1, SIGINT}) {
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return [signals, came = false]() mutable {
    const timespec none{};
    came = came || sigtimedwait(&signals, nullptr, &none) > 0;
    return came;
  };
}

}  // namespace epochcast::serve
