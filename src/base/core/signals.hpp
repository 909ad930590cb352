// Signals: their names, and threads that receive none.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// "SIGUSR1"; "signal 34" for a signal without a name.
std::string signal_name(int signal);

/// The signal of "USR1", "SIGUSR1" or "10"; std::nullopt for any other text.
std::optional<int> signal_number(std::string_view text);

/// Blocks all signals in this thread while it lives. A thread that is started meanwhile receives
/// none: they go to the threads whose waits they are to end.
class BlockedSignals {
 public:
  BlockedSignals() {  // a thread inherits the mask of the thread that starts it
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(BlockedSignals&&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace epochcast
