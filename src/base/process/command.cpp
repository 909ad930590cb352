#include "src/base/process/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/spawn.hpp"

namespace epochcast::process {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  Descriptor read_end{-1};
  Descriptor write_end{-1};
};

/// Milliseconds until the deadline, for poll; at least 0.
int milliseconds_left(Deadline deadline) {
  const std::chrono::duration<double, std::milli> left =
      deadline - std::chrono::steady_clock::now();
  return static_cast<int>(std::ceil(std::max(0.0, std::min(left.count(), 1e9))));
}

/// Reads what is available; false at the end of the stream.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const auto count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return count > 0 || (count < 0 && errno == EINTR);
}

bool is_too_long(const CommandResult& result) {
  return result.out.size() + result.err.size() > most_text_mib << 20;
}

/// Collects both streams until they end; false if the deadline came first, or they are too long.
bool collect(const Pipe& out, const Pipe& err, CommandResult& result, Deadline deadline) {
  std::array<pollfd, 2> streams{pollfd{out.read_end.number(), POLLIN, 0},
                                pollfd{err.read_end.number(), POLLIN, 0}};
  const std::array<std::string*, 2> texts{&result.out, &result.err};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const int ready = poll(streams.data(), streams.size(), milliseconds_left(deadline));
    if (ready == 0) {
      return false;
    }
    for (std::size_t i = 0; ready > 0 && i < streams.size(); ++i) {
      if (streams[i].revents != 0 && !read_some(streams[i].fd, *texts[i])) {
        streams[i].fd = -1;  // poll ignores negative descriptors
      }
    }
    if (is_too_long(result)) {
      return false;
    }
  }
  return true;
}

/// Waits for the process, which may close its streams before it ends; false if the deadline came
/// first.
bool wait_until(pid_t pid, int& state, Deadline deadline) {
  for (;;) {
    const pid_t done = waitpid(pid, &state, WNOHANG);
    if (done == pid || (done < 0 && errno != EINTR)) {
      return true;
    }
    const int left = milliseconds_left(deadline);
    if (left == 0) {
      return false;
    }
    poll(nullptr, 0, std::min(left, 5));
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& words, double timeout_s,
                          const std::map<std::string, std::string>& extra_environment) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double>(timeout_s));
  Pipe out, err;
  const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  sigset_t none;
  sigemptyset(&none);
  // A group of its own, so that all it started can be killed.
  const auto child = spawn({.words = words,
                            .environment = extra_environment,
                            .in = null.number(),
                            .out = out.write_end.number(),
                            .err = err.write_end.number(),
                            .own_group = true,
                            .signal_mask = none});
  if (!child.ok()) {
    return {127, "", words.at(0) + ": " + std::strerror(child.error), false};
  }
  out.write_end = Descriptor(-1);
  err.write_end = Descriptor(-1);
  CommandResult result;
  int state = 0;
  if (!collect(out, err, result, deadline) || !wait_until(child.pid, state, deadline)) {
    result.timed_out = !is_too_long(result);
    kill(-child.pid, SIGKILL);
    TEMP_FAILURE_RETRY(waitpid(child.pid, &state, 0));
  }
  result.status = exit_status_of(state);
  if (is_too_long(result)) {  // also if it had ended before it was killed
    result.status = exit_status_of(SIGKILL);
    result.err = fmt::format("{}: printed more than {} MiB", words.at(0), most_text_mib);
  }
  return result;
}

bool is_executable(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return access(program.c_str(), X_OK) == 0 && !std::filesystem::is_directory(program);
  }
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path == nullptr ? "" : path, ':')) {
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace epochcast::process
