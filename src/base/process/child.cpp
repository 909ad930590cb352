#include "src/base/process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/base/process/spawn.hpp"

namespace epochcast::process {
namespace {

volatile sig_atomic_t interrupts = 0;

extern "C" void note_interrupt(int) {
  interrupts = interrupts + 1;
}

pid_t start(const ChildSpec& spec) {
  const Descriptor log(open(spec.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (log.number() < 0) {
    throw RunError(fmt::format("{}: cannot be written: {}", spec.log, std::strerror(errno)));
  }
  const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto child = spawn({.words = {"/bin/bash", spec.script},
                            .environment = spec.environment,
                            .without = {"SLURM_", "SBATCH_"},
                            .in = null.number(),
                            .out = log.number(),
                            .err = log.number(),
                            .cpus = spec.cpus,
                            .own_group = true,
                            // if the runner is killed, its job still saves a checkpoint
                            .end_with_parent = true});
  if (!child.ok()) {
    throw RunError(child.error_text(spec.script));
  }
  return child.pid;
}

/// Sends the signals in time: USR1 once, then TERM, then KILL.
class Limit {
 public:
  Limit(const ChildSpec& spec, pid_t pid) : spec_(spec), pid_(pid) {}

  void check(double now_s, ChildEnd& end) {
    if (spec_.limit_s > 0 && now_s >= spec_.limit_s - spec_.lead_s) {
      request_stop();
    }
    if (spec_.limit_s > 0 && now_s >= spec_.limit_s) {
      end.timed_out = true;
      terminate(now_s);
    }
    if (interrupts > 0) {
      end.interrupted = true;
      request_stop();
    }
    if (interrupts > 1) {
      terminate(now_s);
    }
    if (terminated_at_s_ >= 0 &&
        (now_s >= terminated_at_s_ + spec_.kill_wait_s || interrupts > 2)) {
      kill(-pid_, SIGKILL);
    }
  }

 private:
  void request_stop() {
    if (!std::exchange(stop_requested_, true)) {
      kill(pid_, SIGUSR1);
    }
  }
  void terminate(double now_s) {
    if (terminated_at_s_ < 0) {
      terminated_at_s_ = now_s;
      kill(-pid_, SIGTERM);
    }
  }

  const ChildSpec& spec_;
  pid_t pid_;
  bool stop_requested_ = false;
  double terminated_at_s_ = -1;
};

}  // namespace

void note_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, note_interrupt);
  }
}

bool is_interrupted() {
  return interrupts > 0;
}

ChildEnd run_child(const ChildSpec& spec) {
  const SteadyClock clock;
  const double began_s = clock.now_s();
  const pid_t pid = start(spec);
  Limit limit(spec, pid);
  ChildEnd end;
  int state = 0;
  double watched_s = 0;
  while (waitpid(pid, &state, WNOHANG) == 0) {
    const double now_s = clock.now_s() - began_s;
    limit.check(now_s, end);
    if (spec.watch && now_s >= watched_s + 1) {
      watched_s = now_s;
      spec.watch(now_s);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  end.wall_s = clock.now_s() - began_s;
  end.status = exit_status_of(state);
  return end;
}

}  // namespace epochcast::process
