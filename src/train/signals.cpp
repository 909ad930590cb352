#include "src/train/signals.hpp"

#include <csignal>

namespace epochcast {
namespace {

StopFlag stop_flag;  // a signal handler reaches nothing but a global

void on_signal(int signal) {
  stop_flag.request(signal);
}

}  // namespace

const StopFlag& install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // reads and writes under way go on as if nothing had come
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) {
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  return stop_flag;
}

}  // namespace epochcast
