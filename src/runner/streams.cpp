#include "src/runner/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "src/base/core/error.hpp"

namespace epochcast::runner {
namespace {

constexpr int pipe_bytes = 1 << 20;
constexpr winsize default_window{.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};

bool are_one_file(int first, int second) {
  struct stat a {
  }, b{};
  return fstat(first, &a) == 0 && fstat(second, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

}  // namespace

StreamPlan plan_streams(const std::string& mode) {
  StreamPlan plan;
  if (mode != "pipe") {
    plan.out_is_terminal = mode == "pty" || isatty(STDOUT_FILENO) == 1;
    plan.err_is_terminal = mode == "pty" || isatty(STDERR_FILENO) == 1;
    plan.in_is_terminal = plan.any_terminal() && isatty(STDIN_FILENO) == 1;
  }
  return plan;
}

Streams::Pipe Streams::open_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw RunError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  fcntl(ends[0], F_SETPIPE_SZ, pipe_bytes);  // only faster; a user's limit may forbid it
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Streams::Streams(const StreamPlan& plan, const Clock& clock)
    : plan_(plan),
      out_outlet_(STDOUT_FILENO, clock),
      own_err_outlet_(STDERR_FILENO, clock),
      err_outlet_(are_one_file(STDOUT_FILENO, STDERR_FILENO) ? &out_outlet_ : &own_err_outlet_) {
  if (plan.any_terminal()) {
    const process::OuterTerminal outer;
    terminal_ = process::open_pseudo_terminal(process::window_size().value_or(default_window),
                                              plan.in_is_terminal ? outer.before() : std::nullopt);
    fcntl(terminal_.ours.number(), F_SETFL, O_RDWR | O_NONBLOCK);
  }
  if (!plan.out_is_terminal) {
    out_ = open_pipe();
  }
  if (!plan.err_is_terminal) {
    err_ = open_pipe();
  }
}

void Streams::connect(process::SpawnSpec& program) const {
  const int slave = terminal_.programs.number();
  program.terminal = slave;
  program.in = plan_.in_is_terminal ? slave : -1;
  program.out = plan_.out_is_terminal ? slave : out_.programs.number();
  program.err = plan_.err_is_terminal ? slave : err_.programs.number();
}

std::vector<int> Streams::ours() const {
  std::vector<int> descriptors;
  for (const auto* end : {&terminal_.ours, &out_.ours, &err_.ours}) {
    if (end->number() >= 0) {
      descriptors.push_back(end->number());
    }
  }
  return descriptors;
}

std::vector<int> Streams::programs() const {
  std::vector<int> descriptors;
  for (const auto* end : {&terminal_.programs, &out_.programs, &err_.programs}) {
    if (end->number() >= 0) {
      descriptors.push_back(end->number());
    }
  }
  return descriptors;
}

void Streams::close_programs() {
  terminal_.programs = Descriptor(-1);
  out_.programs = Descriptor(-1);
  err_.programs = Descriptor(-1);
}

std::vector<Source> Streams::sources() {
  std::vector<Source> sources;
  if (plan_.any_terminal()) {
    sources.push_back({terminal_.ours.number(), plan_.out_is_terminal ? &out_outlet_ : err_outlet_,
                       progress::Stream::terminal});
  }
  if (!plan_.out_is_terminal) {
    sources.push_back({out_.ours.number(), &out_outlet_, progress::Stream::out});
  }
  if (!plan_.err_is_terminal) {
    sources.push_back({err_.ours.number(), err_outlet_, progress::Stream::err});
  }
  return sources;
}

std::string Streams::lost_output() const {
  const auto& out = out_outlet_.why_lost();
  const auto& err = err_outlet_->why_lost();
  return !out.empty() ? "standard output: " + out : !err.empty() ? "standard error: " + err : "";
}

void Streams::take_window_size() const {
  if (const auto size = process::window_size(); size && terminal() >= 0) {
    ioctl(terminal(), TIOCSWINSZ, &*size);  // the kernel signals the program
  }
}

}  // namespace epochcast::runner
