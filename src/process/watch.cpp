#include "src/process/watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/core/error.hpp"

namespace epochcast::process {
namespace {

/// Starts the program with the signals as they were.
pid_t start(const std::vector<std::string>& words, const sigset_t& signals) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));  // posix_spawn leaves them alone
  }
  pointers.push_back(nullptr);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int failure =
      posix_spawnp(&pid, pointers[0], nullptr, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw Error(fmt::format("{}: cannot be started: {}", words[0], std::strerror(failure)));
  }
  return pid;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : {SIGUSR1, SIGTERM, SIGHUP, SIGINT, SIGCHLD}) {
    sigaddset(&held_, signal);
  }
  ::signal(SIGCHLD, SIG_DFL);  // whoever started us may have had it ignored: then no status is kept
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
  const pid_t pid = start(words, signals.before());
  WatchedEnd end;
  int state = 0;
  while (waitpid(pid, &state, WNOHANG) == 0) {
    const siginfo_t info = signals.wait();
    if (info.si_signo == SIGCHLD) {
      continue;
    }
    end.passed_on = info.si_signo;
    if (info.si_code != SI_KERNEL) {  // the terminal's own go to its whole process group
      kill(pid, info.si_signo);
    }
  }
  end.exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  end.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  return end;
}

}  // namespace epochcast::process
