#include "src/base/process/keeper.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/process/descendants.hpp"

namespace epochcast::process {
namespace {

struct Order {
  enum class Kind { start, signal, signal_group, end_all, release };
  Kind kind = Kind::start;
  int signal = 0;
};

/// How long the program has to save its state if this process is killed.
constexpr double orphaned_grace_s = 10;

template <class Message>
bool send_message(int socket, const Message& message) {
  const auto sent = TEMP_FAILURE_RETRY(send(socket, &message, sizeof(message), MSG_NOSIGNAL));
  return sent == ssize_t(sizeof(message));
}

template <class Message>
bool receive_message(int socket, Message& message) {
  const auto got = TEMP_FAILURE_RETRY(recv(socket, &message, sizeof(message), 0));
  return got == ssize_t(sizeof(message));
}

/// What runs in the keeper's process.
class KeeperProcess {
 public:
  KeeperProcess(const KeeperSpec& spec, int socket) : spec_(spec), socket_(socket) {}

  [[noreturn]] void run() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);  // only SIGKILL ends it
    prctl(PR_SET_NAME, "epochcast-keep");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int descriptor : spec_.close) {
      close(descriptor);
    }
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    std::array<pollfd, 2> events{pollfd{socket_, POLLIN, 0}, pollfd{children, POLLIN, 0}};
    while (true) {
      poll(events.data(), events.size(), -1);
      if (events[1].revents != 0) {
        signalfd_siginfo info{};
        while (read(children, &info, sizeof(info)) > 0) {
        }
        note_children();
      }
      if (events[0].revents != 0) {
        obey();
      }
    }
  }

 private:
  void obey() {
    Order order;
    if (!receive_message(socket_, order)) {
      end_orphans();
    }
    switch (order.kind) {
      case Order::Kind::start:
        start();
        break;
      case Order::Kind::signal:
        if (pid_ > 0) {
          kill(pid_, order.signal);
        }
        break;
      case Order::Kind::signal_group:
        if (pid_ > 0) {
          kill(-pid_, order.signal);
        }
        break;
      case Order::Kind::end_all:
        end_rest();
        break;
      case Order::Kind::release:
        break;  // the program still runs: end_orphans() follows
    }
  }

  void start() {
    const auto child = spawn(spec_.program);
    for (const int descriptor : spec_.close_when_started) {
      close(descriptor);
    }
    if (!child.ok()) {
      tell(KeeperReport::Kind::not_started, child.error);
      _exit(0);
    }
    pid_ = child.pid;
    tell(KeeperReport::Kind::started, pid_);
  }

  void note_children() {
    int state = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &state, WNOHANG | WUNTRACED)) > 0) {
      if (pid == pid_ && WIFSTOPPED(state)) {
        tell(KeeperReport::Kind::stopped, WSTOPSIG(state));
      } else if (pid == pid_) {
        pid_ = -1;
        tell(KeeperReport::Kind::ended, state);
        end_rest();
      }
    }
  }

  /// SIGTERM to what is left, and SIGKILL after the grace time; then the last report.
  [[noreturn]] void end_rest() {
    const pid_t program = std::exchange(pid_, -1);
    if (program > 0) {  // asked to, while the program runs
      kill(program, SIGTERM);
    }
    const int left = program > 0 ? end_descendants_with(program) : end_descendants(spec_.grace_s);
    tell(KeeperReport::Kind::all_ended, left);
    wait_for_release();
  }

  /// The program may end because the other process was killed, and be noticed first: its terminal
  /// has gone with it.
  [[noreturn]] void wait_for_release() {
    Order order;
    while (receive_message(socket_, order)) {
      if (order.kind == Order::Kind::release) {
        _exit(0);
      }
    }
    restore_terminal();
    _exit(0);
  }

  void restore_terminal() {
    if (spec_.terminal_before) {
      tcsetattr(STDIN_FILENO, TCSANOW, &*spec_.terminal_before);
    }
  }

  /// The same while the program runs: its status is reported too.
  int end_descendants_with(pid_t program) {
    int state = 0;
    for (int waited_ms = 0; waited_ms < 1000 * spec_.grace_s; waited_ms += 10) {
      if (waitpid(program, &state, WNOHANG) == program) {
        tell(KeeperReport::Kind::ended, state);
        return end_descendants(spec_.grace_s);
      }
      usleep(10000);
    }
    kill(program, SIGKILL);
    waitpid(program, &state, 0);
    tell(KeeperReport::Kind::ended, state);
    return end_descendants(0);
  }

  /// The other process is gone: nobody reads the output or writes the record any more.
  [[noreturn]] void end_orphans() {
    restore_terminal();
    end_descendants(pid_ > 0 ? orphaned_grace_s : spec_.grace_s);
    _exit(0);
  }

  void tell(KeeperReport::Kind kind, int value) {
    send_message(socket_, KeeperReport{kind, value});  // if nobody listens, obey() will see it
  }

  const KeeperSpec& spec_;
  int socket_;
  pid_t pid_ = -1;
};

}  // namespace

Keeper::Keeper(const KeeperSpec& spec) : socket_(-1) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw RunError(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  }
  socket_ = Descriptor(ends[0]);
  Descriptor other(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what falls to this process if the keeper is killed
  pid_ = fork();
  if (pid_ < 0) {
    throw RunError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (pid_ == 0) {
    close(ends[0]);
    KeeperProcess(spec, ends[1]).run();
  }
}

Keeper::~Keeper() {
  send_message(socket_.number(), Order{Order::Kind::release});
  socket_ = Descriptor(-1);  // the keeper ends what still runs, if anything
  TEMP_FAILURE_RETRY(waitpid(pid_, nullptr, 0));
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void Keeper::start() {
  send_message(socket_.number(), Order{Order::Kind::start});
}

void Keeper::signal(int number) {
  send_message(socket_.number(), Order{Order::Kind::signal, number});
}

void Keeper::signal_group(int number) {
  send_message(socket_.number(), Order{Order::Kind::signal_group, number});
}

void Keeper::end_all() {
  send_message(socket_.number(), Order{Order::Kind::end_all});
}

KeeperReport Keeper::report() {
  KeeperReport report;
  if (receive_message(socket_.number(), report)) {
    has_ended_ = has_ended_ || report.kind == KeeperReport::Kind::ended;
    return report;
  }
  if (!has_ended_) {
    has_ended_ = true;
    return {KeeperReport::Kind::ended, SIGKILL};
  }
  return {KeeperReport::Kind::all_ended, end_descendants(0)};
}

}  // namespace epochcast::process
