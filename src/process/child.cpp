#include "src/process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "src/core/clock.hpp"
#include "src/core/error.hpp"
#include "src/process/cpu_set.hpp"

namespace epochcast::process {
namespace {

volatile sig_atomic_t interrupts = 0;

extern "C" void note_interrupt(int) {
  interrupts = interrupts + 1;
}

std::vector<std::string> environment_of(const ChildSpec& spec) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const auto name = text.substr(0, text.find('='));
    if (!spec.environment.contains(name) && !name.starts_with("SLURM_") &&
        !name.starts_with("SBATCH_")) {
      entries.push_back(text);
    }
  }
  for (const auto& [name, value] : spec.environment) {
    entries.push_back(name + "=" + value);
  }
  return entries;
}

std::vector<char*> c_strings(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const CpuSet& cpus, int log, char* const* words,
                         char* const* environment) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a killed runner stops its job too, with a checkpoint
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, SIG_DFL);
  }
  const int null = open("/dev/null", O_RDONLY);
  if (cpus.bind() && dup2(null, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
      dup2(log, STDERR_FILENO) >= 0) {
    execve("/bin/bash", words, environment);
  }
  _exit(127);
}

pid_t start(const ChildSpec& spec) {
  const CpuSet cpus(spec.cpus);
  std::vector<std::string> words{"bash", spec.script};
  auto environment = environment_of(spec);
  const auto word_pointers = c_strings(words);
  const auto environment_pointers = c_strings(environment);
  const int log = open(spec.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log < 0) {
    throw RunError(fmt::format("{}: cannot be written: {}", spec.log, std::strerror(errno)));
  }
  const pid_t pid = fork();
  if (pid == 0) {
    become(cpus, log, word_pointers.data(), environment_pointers.data());
  }
  close(log);
  if (pid < 0) {
    throw RunError(fmt::format("{}: cannot be started: {}", spec.script, std::strerror(errno)));
  }
  setpgid(pid, pid);  // here too, so that it is so before we signal the group
  return pid;
}

/// Sends what is due: USR1 once, then TERM, then KILL.
class Limit {
 public:
  Limit(const ChildSpec& spec, pid_t pid) : spec_(spec), pid_(pid) {}

  void check(double now_s, ChildEnd& end) {
    if (spec_.limit_s > 0 && now_s >= spec_.limit_s - spec_.lead_s) {
      ask(now_s);
    }
    if (spec_.limit_s > 0 && now_s >= spec_.limit_s) {
      end.timed_out = true;
      terminate(now_s);
    }
    if (interrupts > 0) {
      end.interrupted = true;
      ask(now_s);
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
  void ask(double) {
    if (!asked_) {
      asked_ = true;
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
  bool asked_ = false;
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
  while (waitpid(pid, &state, WNOHANG) == 0) {
    limit.check(clock.now_s() - began_s, end);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  end.wall_s = clock.now_s() - began_s;
  end.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return end;
}

}  // namespace epochcast::process
