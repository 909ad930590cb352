#include "src/base/process/launch.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <span>

#include "src/base/cli/report.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/ports.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/base/process/spawn.hpp"

namespace epochcast::process {
namespace {

constexpr int cannot_be_started = 127;

bool is_failure(int status) {
  return status != exit_done && status != exit_stopped;
}

bool is_free(std::int64_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;  // like the bind of rank 0: the port of a finished run counts as free
  setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool free = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(probe);
  return free;
}

/// Finds a free port; every launch starts the search at a different one.
std::int64_t free_port() {
  for (std::int64_t i = 0; i < ports; ++i) {
    if (const auto port = first_port + (getpid() + i) % ports; is_free(port)) {
      return port;
    }
  }
  throw RunError(fmt::format("no port from {} to {} is free on this machine", first_port,
                             first_port + ports - 1));
}

sigset_t forwarded_signals() {
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
    for (std::int64_t rank = 0; rank < request_.tasks && status_ == exit_done; ++rank) {
      const auto each = static_cast<std::size_t>(request_.cpus);
      start(rank, port, std::span(cpus).subspan(static_cast<std::size_t>(rank) * each, each));
    }
    while (!ranks_.empty()) {
      wait_for_signal();
      reap();
      if (const auto why = why_kill(); !why.empty()) {
        killed_because_ = killed_because_.empty() ? why : killed_because_;
        forward(SIGKILL);
      }
    }
    return status_;
  }

 private:
  void start(std::int64_t rank, std::int64_t port, std::span<const int> cpus) {
    const auto child = spawn({.words = request_.command,
                              .environment = {{"RANK", std::to_string(rank)},
                                              {"LOCAL_RANK", std::to_string(rank)},
                                              {"WORLD_SIZE", std::to_string(request_.tasks)},
                                              {"MASTER_PORT", std::to_string(port)},
                                              {"MASTER_ADDR", "127.0.0.1"}},
                              .cpus = {cpus.begin(), cpus.end()},
                              // if this process is killed, the tasks still save a checkpoint
                              .end_with_parent = true,
                              .signal_mask = before_});
    if (child.ok()) {
      ranks_[child.pid] = rank;
      return;
    }
    forward(SIGKILL);
    const auto text = child.error_text(request_.command.front());
    if (child.no_process) {
      throw RunError(text);
    }
    cli::report(text);
    status_ = cannot_be_started;
  }

  /// Waits at most a second, so that why_kill() is called often enough.
  void wait_for_signal() {
    const timespec second{1, 0};
    siginfo_t info{};
    const int signal = sigtimedwait(&signals_, &info, &second);
    if (signal > 0 && signal != SIGCHLD) {
      forward(signal);
    }
    if (signal == SIGTERM || signal == SIGINT) {
      note_request(signal);
    }
  }

  void note_request(int signal) {
    // One request may arrive twice: `timeout` signals this process and then its group.
    constexpr double same_request_s = 1;
    if (requested_at_s_ < 0) {
      requested_at_s_ = clock_.now_s();
      requested_by_ = signal_name(signal);
    } else if (clock_.now_s() > requested_at_s_ + same_request_s) {
      requested_again_by_ = signal_name(signal);
    }
  }

  /// Why the tasks that still run must be killed now; empty: they need not be.
  std::string why_kill() const {
    const auto is_over = [&](double since_s) {
      return since_s >= 0 && clock_.now_s() > since_s + request_.patience.value;
    };
    if (!requested_again_by_.empty()) {
      return requested_again_by_ + " came a second time";
    }
    if (is_over(failed_at_s_)) {
      return fmt::format("rank {} failed {:g} s earlier", failed_rank_, request_.patience.value);
    }
    if (is_over(requested_at_s_)) {
      return fmt::format("it still ran {:g} s after {}", request_.patience.value, requested_by_);
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
        report_end(task.mapped(), pid, WTERMSIG(state));
      }
      const int status = exit_status_of(state);
      note(status);
      if (is_failure(status) && failed_at_s_ < 0) {
        failed_at_s_ = clock_.now_s();
        failed_rank_ = task.mapped();
      }
    }
  }

  void report_end(std::int64_t rank, pid_t pid, int signal) const {
    if (signal == SIGKILL && !killed_because_.empty()) {
      cli::report(fmt::format("rank {} was killed: {}", rank, killed_because_));
    } else {
      cli::report(
          fmt::format("rank {} (process {}) was ended by {}", rank, pid, signal_name(signal)));
    }
  }

  /// The first failure counts. Exception: bad input replaces a failure, which may be its effect.
  void note(int status) {
    if (status == exit_bad_input && status_ == exit_failed) {
      status_ = status;
    } else if (!is_failure(status_)) {
      status_ = is_failure(status) ? status : std::max(status_, status);
    }
  }

  void forward(int signal) const {
    for (const auto& [pid, rank] : ranks_) {
      kill(pid, signal);
    }
  }

  const LaunchRequest& request_;
  const SteadyClock clock_;
  const sigset_t signals_ = forwarded_signals();
  sigset_t before_{};
  std::map<pid_t, std::int64_t> ranks_;  ///< The ranks that still run.
  int status_ = exit_done;
  double failed_at_s_ = -1;  ///< When the first rank failed.
  std::int64_t failed_rank_ = -1;
  double requested_at_s_ = -1;  ///< When the first SIGTERM or SIGINT came.
  std::string requested_by_, requested_again_by_;
  std::string killed_because_;  ///< Empty: no rank was killed.
};

}  // namespace

int launch(const LaunchRequest& request) {
  return Launch(request).run();
}

}  // namespace epochcast::process
