#include "src/base/process/held_signals.hpp"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/core/error.hpp"

namespace epochcast::process {
namespace {

int hold(const std::vector<int>& signals, sigset_t& before) {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : signals) {
    sigaddset(&held, signal);
  }
  ::signal(SIGCHLD, SIG_DFL);  // if the parent had it ignored, no status would be kept
  sigset_t blocked = held;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const int descriptor = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor < 0) {
    throw RunError(fmt::format("cannot receive signals: {}", std::strerror(errno)));
  }
  return descriptor;
}

}  // namespace

HeldSignals::HeldSignals(const std::vector<int>& signals) : descriptor_(hold(signals, before_)) {}

HeldSignals::~HeldSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<HeldSignal> HeldSignals::take() const {
  signalfd_siginfo info{};
  if (read(descriptor_.number(), &info, sizeof(info)) != ssize_t(sizeof(info))) {
    return std::nullopt;
  }
  return HeldSignal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace epochcast::process
