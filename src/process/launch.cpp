#include "src/process/launch.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>

#include "src/cli/report.hpp"
#include "src/core/clock.hpp"
#include "src/core/error.hpp"
#include "src/core/ports.hpp"
#include "src/core/signal_name.hpp"
#include "src/process/cpu_set.hpp"
#include "src/process/machine_cpus.hpp"

namespace epochcast::process {
namespace {

constexpr int cannot_be_started = 127;

bool is_failure(int status) {
  return status != exit_done && status != exit_stopped;
}

bool is_free(std::int64_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;  // as rank 0 will bind it: one that an ended run left behind is free
  setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool free = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(probe);
  return free;
}

/// The first to try is another one for every launch.
std::int64_t free_port() {
  for (std::int64_t i = 0; i < ports; ++i) {
    if (const auto port = first_port + (getpid() + i) % ports; is_free(port)) {
      return port;
    }
  }
  throw RunError(fmt::format("no port from {} to {} is free on this machine", first_port,
                             first_port + ports - 1));
}

sigset_t signals_of_ours() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGCHLD}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

class Launch {
 public:
  explicit Launch(const LaunchRequest& request) : request_(request) {
    ::signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }

  int run() {
    const auto cpus = allowed_cpus();
    const auto wanted = static_cast<std::size_t>(request_.tasks * request_.cpus);
    if (cpus.size() < wanted) {
      throw Error(fmt::format("{} tasks on {} CPUs each need {} CPUs, this process may use {}",
                              request_.tasks, request_.cpus, wanted, cpus.size()));
    }
    const auto port = free_port();
    for (std::int64_t rank = 0; rank < request_.tasks; ++rank) {
      const auto each = static_cast<std::size_t>(request_.cpus);
      start(rank, port, std::span(cpus).subspan(static_cast<std::size_t>(rank) * each, each));
    }
    while (!ranks_.empty()) {
      wait_for_signal();
      reap();
      if (const auto why = why_kill(); !why.empty()) {
        killed_because_ = killed_because_.empty() ? why : killed_because_;
        pass_on(SIGKILL);
      }
    }
    return status_;
  }

 private:
  void start(std::int64_t rank, std::int64_t port, std::span<const int> cpus) {
    const CpuSet set({cpus.begin(), cpus.end()});
    const pid_t pid = fork();
    if (pid < 0) {
      pass_on(SIGKILL);
      throw RunError(
          fmt::format("{}: cannot be started: {}", request_.command.front(), std::strerror(errno)));
    }
    if (pid > 0) {
      ranks_[pid] = rank;
      return;
    }
    const auto set_number = [](const char* name, std::int64_t value) {
      setenv(name, std::to_string(value).c_str(), 1);
    };
    set_number("RANK", rank);
    set_number("LOCAL_RANK", rank);
    set_number("WORLD_SIZE", request_.tasks);
    set_number("MASTER_PORT", port);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    become(cpus.empty() || set.bind());
  }

  /// In the new process, which has one thread as this one has.
  [[noreturn]] void become(bool bound) {
    std::vector<char*> words;
    for (const auto& word : request_.command) {
      words.push_back(const_cast<char*>(word.c_str()));  // execvp leaves them alone
    }
    words.push_back(nullptr);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // who kills us stops them, with a checkpoint
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    if (bound) {
      execvp(words[0], words.data());
    }
    cli::report(fmt::format("{}: cannot be started: {}", words[0], std::strerror(errno)));
    _exit(cannot_be_started);
  }

  /// At most a second, so that patience has an end.
  void wait_for_signal() {
    const timespec second{1, 0};
    siginfo_t info{};
    const int signal = sigtimedwait(&signals_, &info, &second);
    if (signal > 0 && signal != SIGCHLD) {
      pass_on(signal);
    }
    if (signal == SIGTERM || signal == SIGINT) {
      note_request(signal);
    }
  }

  void note_request(int signal) {
    // Who asks once may be heard twice: `timeout` asks this process and then its group.
    constexpr double same_request_s = 1;
    if (asked_at_s_ < 0) {
      asked_at_s_ = clock_.now_s();
      asked_by_ = signal_name(signal);
    } else if (clock_.now_s() > asked_at_s_ + same_request_s) {
      asked_again_by_ = signal_name(signal);
    }
  }

  /// Why what still runs is to be killed now; empty: it is not.
  std::string why_kill() const {
    const auto is_over = [&](double since_s) {
      return since_s >= 0 && clock_.now_s() > since_s + request_.patience.value;
    };
    if (!asked_again_by_.empty()) {
      return asked_again_by_ + " came a second time";
    }
    if (is_over(failed_at_s_)) {
      return fmt::format("rank {} had failed {:g} s before", failed_rank_, request_.patience.value);
    }
    if (is_over(asked_at_s_)) {
      return fmt::format("it went on {:g} s after {}", request_.patience.value, asked_by_);
    }
    return "";
  }

  void reap() {
    int state = 0;
    for (pid_t pid = waitpid(-1, &state, WNOHANG); pid > 0; pid = waitpid(-1, &state, WNOHANG)) {
      const auto task = ranks_.extract(pid);
      if (task.empty()) {
        continue;
      }
      if (WIFSIGNALED(state)) {
        tell_end(task.mapped(), pid, WTERMSIG(state));
      }
      const int status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
      note(status);
      if (is_failure(status) && failed_at_s_ < 0) {
        failed_at_s_ = clock_.now_s();
        failed_rank_ = task.mapped();
      }
    }
  }

  void tell_end(std::int64_t rank, pid_t pid, int signal) const {
    if (signal == SIGKILL && !killed_because_.empty()) {
      cli::report(fmt::format("rank {} was killed: {}", rank, killed_because_));
    } else {
      cli::report(
          fmt::format("rank {} (process {}) was ended by {}", rank, pid, signal_name(signal)));
    }
  }

  /// Of several failures the first, but bad input, which one rank tells, goes before the end of the
  /// others.
  void note(int status) {
    if (status == exit_bad_input && status_ == exit_failed) {
      status_ = status;
    } else if (!is_failure(status_)) {
      status_ = is_failure(status) ? status : std::max(status_, status);
    }
  }

  void pass_on(int signal) const {
    for (const auto& [pid, rank] : ranks_) {
      kill(pid, signal);
    }
  }

  const LaunchRequest& request_;
  const SteadyClock clock_;
  const sigset_t signals_ = signals_of_ours();
  sigset_t before_{};
  std::map<pid_t, std::int64_t> ranks_;  ///< Of those that run.
  int status_ = exit_done;
  double failed_at_s_ = -1;  ///< When the first one failed.
  std::int64_t failed_rank_ = -1;
  double asked_at_s_ = -1;  ///< When SIGTERM or SIGINT came first.
  std::string asked_by_, asked_again_by_;
  std::string killed_because_;  ///< Empty: nothing was killed here.
};

}  // namespace

int launch(const LaunchRequest& request) {
  return Launch(request).run();
}

}  // namespace epochcast::process
