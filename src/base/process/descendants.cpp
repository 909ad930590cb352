#include "src/base/process/descendants.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::process {
namespace {

constexpr double unkillable_after_s = 10;  ///< In an uninterruptible wait, of a dead file server.

struct Stat {
  char state = 'Z';
  pid_t parent = 0;
};

/// State and parent from /proc/PID/stat, whose second word, the name, may hold anything.
Stat stat_of(pid_t pid) {
  const int file = open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return {};
  }
  std::array<char, 512> buffer{};
  const auto count = read(file, buffer.data(), buffer.size() - 1);
  close(file);
  const std::string_view text(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const auto name_end = text.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 4 >= text.size()) {
    return {};
  }
  const auto rest = text.substr(name_end + 4);
  const auto parent = parse_integer(rest.substr(0, rest.find(' ')));
  return {text[name_end + 2], static_cast<pid_t>(parent.value_or(0))};
}

/// Collects the statuses of children that have ended; false if there are no children.
bool reap() {
  pid_t pid = 0;
  while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return pid == 0;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code gone;
  for (std::filesystem::directory_iterator entry("/proc", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    if (const auto pid = parse_integer(entry->path().filename().native())) {
      const auto stat = stat_of(static_cast<pid_t>(*pid));
      if (stat.state != 'Z' && stat.state != 'X') {
        children.emplace(stat.parent, static_cast<pid_t>(*pid));
      }
    }
  }
  std::vector<pid_t> found;
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    open.pop_back();
    for (auto child = first; child != last; ++child) {
      found.push_back(child->second);
      open.push_back(child->second);
    }
  }
  return found;
}

int end_descendants(double grace_s) {
  const SteadyClock clock;
  const double began_s = clock.now_s();
  bool asked = false;
  while (
      reap()) {  // `left` may be empty: one that ended just now is a zombie until the next reap()
    const auto left = descendants_of(getpid());
    const double waited_s = clock.now_s() - began_s;
    if (waited_s > grace_s + unkillable_after_s) {
      return static_cast<int>(left.size());
    }
    for (const pid_t pid : left) {
      if (waited_s >= grace_s) {
        kill(pid, SIGKILL);
      } else if (!asked) {
        kill(pid, SIGTERM);
        kill(pid, SIGCONT);
      }
    }
    asked = true;
    usleep(waited_s < 0.1 ? 2000 : 20000);
  }
  return 0;
}

}  // namespace epochcast::process
