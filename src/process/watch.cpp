#include "src/process/watch.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "src/core/error.hpp"
#include "src/process/spawn.hpp"

namespace epochcast::process {
HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : {SIGUSR1, SIGTERM, SIGHUP, SIGINT, SIGCHLD}) {
    sigaddset(&held_, signal);
  }
  ::signal(SIGCHLD, SIG_DFL);  // if the parent had it ignored, no status would be kept
  sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

siginfo_t HeldSignals::wait() const {
  siginfo_t info{};
  while (sigwaitinfo(&held_, &info) < 0 && errno == EINTR) {
  }
  return info;
}

WatchedEnd watch(const std::vector<std::string>& words, const HeldSignals& signals) {
  const auto child = spawn({.words = words, .signal_mask = signals.before()});
  if (!child.ok()) {
    throw Error(child.error_text(words.at(0)));
  }
  WatchedEnd end;
  int state = 0;
  while (waitpid(child.pid, &state, WNOHANG) == 0) {
    const siginfo_t info = signals.wait();
    if (info.si_signo == SIGCHLD) {
      continue;
    }
    end.passed_on = info.si_signo;
    if (info.si_code != SI_KERNEL) {  // a terminal signals the whole process group
      kill(child.pid, info.si_signo);
    }
  }
  end.exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  end.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  return end;
}

}  // namespace epochcast::process
