#include "src/process/oom_kills.hpp"

#include <fstream>

#include "src/core/text.hpp"

namespace epochcast::process {
namespace {

/// The number after "oom_kill " in a file of such lines.
std::optional<std::int64_t> count_in(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("oom_kill ")) {
      return parse_integer(line.substr(line.find(' ') + 1));
    }
  }
  return std::nullopt;
}

/// cgroups(7): "0::/path" of version 2, "4:memory:/path" of version 1.
std::optional<std::int64_t> count_of_cgroup(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto parts = split(line, ':');
    if (parts.size() != 3) {
      continue;
    }
    const auto count =
        parts[1].empty() ? count_in(root + "/sys/fs/cgroup" + parts[2] + "/memory.events")
        : parts[1] == "memory"
            ? count_in(root + "/sys/fs/cgroup/memory" + parts[2] + "/memory.oom_control")
            : std::nullopt;
    if (count) {
      return count;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> oom_kills(const std::string& root) {
  const auto of_cgroup = count_of_cgroup(root);
  return of_cgroup ? of_cgroup : count_in(root + "/proc/vmstat");
}

}  // namespace epochcast::process
