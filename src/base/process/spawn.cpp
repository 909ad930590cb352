#include "src/base/process/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "src/base/core/text.hpp"

namespace epochcast::process {
namespace {

/// All that the child needs between fork and exec, where it may not allocate.
class Plan {
 public:
  explicit Plan(const SpawnSpec& spec) : spec_(spec), words_(pointers_of(spec.words)) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string text(*entry);
      const auto name = text.substr(0, text.find('='));
      if (!spec.environment.contains(name) && !starts_with_any(name, spec.without)) {
        entries_.push_back(text);
      }
    }
    for (const auto& [name, value] : spec.environment) {
      entries_.push_back(name + "=" + value);
    }
    environment_ = pointers_of(entries_);
    if (!spec.cpus.empty()) {
      const auto width = std::max(CPU_SETSIZE, *std::ranges::max_element(spec.cpus) + 1);
      mask_.resize(CPU_ALLOC_SIZE(width) / sizeof(cpu_set_t) + 1);
      for (const int cpu : spec.cpus) {
        CPU_SET_S(cpu, mask_bytes(), mask_.data());
      }
    }
  }
  Plan(Plan&&) = delete;

  /// In the child: returns only if a step fails, with errno set.
  void become() const {
    if (spec_.own_group && setpgid(0, 0) != 0) {
      return;
    }
    if (spec_.terminal >= 0 && (setsid() < 0 || ioctl(spec_.terminal, TIOCSCTTY, 0) != 0)) {
      return;
    }
    if (spec_.end_with_parent || spec_.die_with_parent) {
      prctl(PR_SET_PDEATHSIG, spec_.die_with_parent ? SIGKILL : SIGTERM);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {  // lost if caught before exec
      struct sigaction action {};
      if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
        ::signal(signal, SIG_DFL);
      }
    }
    if (spec_.signal_mask) {
      sigprocmask(SIG_SETMASK, &*spec_.signal_mask, nullptr);
    }
    if (!spec_.folder.empty() && chdir(spec_.folder.c_str()) != 0) {
      return;
    }
    const bool bound = mask_.empty() || sched_setaffinity(0, mask_bytes(), mask_.data()) == 0;
    if (bound && redirect(spec_.in, STDIN_FILENO) && redirect(spec_.out, STDOUT_FILENO) &&
        redirect(spec_.err, STDERR_FILENO)) {
      execvpe(words_[0], words_.data(), environment_.data());
    }
  }

 private:
  static std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) {
      pointers.push_back(const_cast<char*>(text.c_str()));  // exec does not modify them
    }
    pointers.push_back(nullptr);
    return pointers;
  }
  static bool redirect(int from, int to) { return from < 0 || dup2(from, to) >= 0; }
  std::size_t mask_bytes() const { return mask_.size() * sizeof(cpu_set_t); }

  const SpawnSpec& spec_;
  std::vector<char*> words_;
  std::vector<std::string> entries_;
  std::vector<char*> environment_;
  std::vector<cpu_set_t> mask_;
};

}  // namespace

std::string Spawned::error_text(const std::string& program) const {
  return fmt::format("{}: cannot be started: {}", program, std::strerror(error));
}

Spawned spawn(const SpawnSpec& spec) {
  const Plan plan(spec);
  std::array<int, 2> failure{-1, -1};  // closed by a successful exec; otherwise it carries errno
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    return {.error = errno, .no_process = true};
  }
  Spawned spawned{.pid = fork()};
  if (spawned.pid == 0) {
    plan.become();
    const int reason = errno;
    [[maybe_unused]] const auto written = write(failure[1], &reason, sizeof(reason));
    _exit(127);
  }
  spawned.error = spawned.pid < 0 ? errno : 0;
  spawned.no_process = spawned.pid < 0;
  close(failure[1]);
  const auto got =
      spawned.ok() ? TEMP_FAILURE_RETRY(read(failure[0], &spawned.error, sizeof(int))) : -1;
  close(failure[0]);
  if (got > 0) {
    TEMP_FAILURE_RETRY(waitpid(spawned.pid, nullptr, 0));
    spawned.pid = -1;
  }
  return spawned;
}

int exit_status_of(int state) {
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

}  // namespace epochcast::process
