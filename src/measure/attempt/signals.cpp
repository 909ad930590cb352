#include "src/measure/attempt/signals.hpp"

#include <signal.h>

#include <array>
#include <thread>

namespace epochcast::attempt {
namespace {

constexpr std::array stop_signals{SIGUSR1, SIGTERM, SIGINT};

StopFlag stop_flag;  // a signal handler can reach only a global

void on_signal(int signal) {
  stop_flag.request(signal);
}

/// Installs a handler for threads that a library started before the signals were blocked.
void handle(int signal) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // reads and writes in progress are restarted
  sigaction(signal, &action, nullptr);
}

void take_signals(const sigset_t& signals) {
  for (;;) {
    if (const int signal = sigwaitinfo(&signals, nullptr); signal > 0) {
      stop_flag.request(signal);
    }
  }
}

}  // namespace

const StopFlag& install_stop_signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : stop_signals) {
    handle(signal);
    sigaddset(&blocked, signal);
  }
  pthread_sigmask(SIG_BLOCK, &blocked,
                  nullptr);  // in this thread and every thread that it starts
  std::thread([blocked] { take_signals(blocked); }).detach();
  signal(SIGPIPE, SIG_IGN);
  return stop_flag;
}

}  // namespace epochcast::attempt
