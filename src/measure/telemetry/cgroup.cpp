#include "src/measure/telemetry/cgroup.hpp"

#include <algorithm>
#include <string>

#include "src/base/core/text.hpp"
#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

namespace fs = std::filesystem;

constexpr double no_limit_bytes = 1e18;  // version 1 shows no limit as nearly 2^63

/// One mounted hierarchy: a line of /proc/self/mountinfo.
struct Mount {
  std::string root;   ///< The cgroup that is visible at the mount point.
  std::string point;  ///< Where it is mounted.
  std::string type;   ///< cgroup or cgroup2.
  std::vector<std::string> options;
};

/// "30 23 0:26 /a /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", proc(5).
std::vector<Mount> cgroup_mounts(const fs::path& root) {
  std::vector<Mount> mounts;
  const auto text = read_small_file(root / "proc/self/mountinfo");
  for (const auto& line : split(text, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) {
      continue;
    }
    const auto after = std::string_view(line).substr(dash + 3);
    const std::string type(word_at(after, 0));
    if (type == "cgroup" || type == "cgroup2") {
      mounts.push_back({std::string(word_at(line, 3)), std::string(word_at(line, 4)), type,
                        split(word_at(after, 2), ',')});
    }
  }
  return mounts;
}

/// The folder of the cgroup `path` below the mount, and those above it.
std::vector<fs::path> folders_of(const fs::path& root, const Mount& mount, std::string path) {
  if (mount.root != "/" && path.starts_with(mount.root)) {  // a container sees a part of the tree
    path.erase(0, mount.root.size());
  }
  const auto top = root / fs::path(mount.point).relative_path();
  auto folder = top / fs::path(path).relative_path();
  std::error_code error;
  if (!fs::exists(folder, error)) {  // the path is that of the host, the mount is the container's
    folder = top;
  }
  std::vector<fs::path> folders;
  for (; folder.string().size() > top.string().size(); folder = folder.parent_path()) {
    if (folder.has_filename()) {
      folders.push_back(folder);
    }
  }
  folders.push_back(top);
  return folders;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::optional<std::int64_t> count_in(const std::filesystem::path& file) {
  const auto count = number_after(read_small_file(file), "oom_kill");
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

}  // namespace

CgroupFolders find_cgroups(const fs::path& root) {
  CgroupFolders found;
  const auto mounts = cgroup_mounts(root);
  const auto text = read_small_file(root / "proc/self/cgroup");
  for (const auto& line : split(text, '\n')) {  // "4:memory:/job" or "0::/job"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    const auto controllers =
        split(std::string_view(line).substr(first + 1, second - first - 1), ',');
    const auto path = line.substr(second + 1);
    for (const auto& mount : mounts) {
      if (mount.type == "cgroup2") {
        if (line.starts_with("0::")) {
          found.unified = folders_of(root, mount, path);
        }
      } else if (has_word(controllers, "cpu") && has_word(mount.options, "cpu")) {
        found.cpu_v1 = folders_of(root, mount, path);
      } else if (has_word(controllers, "memory") && has_word(mount.options, "memory")) {
        found.memory_v1 = folders_of(root, mount, path);
      }
    }
  }
  return found;
}

CgroupUsage read_cgroups(const CgroupFolders& folders) {
  CgroupUsage usage;
  for (const auto& folder : folders.unified) {
    add_to(usage.throttled_s, number_after(read_small_file(folder / "cpu.stat"), "throttled_usec"),
           1e-6);
    const auto events = read_small_file(folder / "memory.events");
    add_to(usage.memory_limit_hits, number_after(events, "high"));
    add_to(usage.memory_limit_hits, number_after(events, "max"));
  }
  if (!folders.unified.empty()) {
    usage.memory_bytes = first_number(read_small_file(folders.unified.front() / "memory.current"));
  }
  for (const auto& folder : folders.cpu_v1) {
    add_to(usage.throttled_s, number_after(read_small_file(folder / "cpu.stat"), "throttled_time"),
           1e-9);
  }
  for (const auto& folder : folders.memory_v1) {
    const auto limit = first_number(read_small_file(folder / "memory.limit_in_bytes"));
    if (limit && *limit < no_limit_bytes) {
      add_to(usage.memory_limit_hits, first_number(read_small_file(folder / "memory.failcnt")));
    }
  }
  if (!folders.memory_v1.empty() && !usage.memory_bytes) {
    usage.memory_bytes =
        first_number(read_small_file(folders.memory_v1.front() / "memory.usage_in_bytes"));
  }
  return usage;
}

std::optional<std::int64_t> oom_kills(const std::filesystem::path& root) {
  const auto cgroups = find_cgroups(root);
  std::optional<std::int64_t> count;
  if (!cgroups.unified.empty()) {
    count = count_in(cgroups.unified.front() / "memory.events");
  }
  if (!count && !cgroups.memory_v1.empty()) {
    count = count_in(cgroups.memory_v1.front() / "memory.oom_control");
  }
  return count ? count : count_in(root / "proc/vmstat");
}

}  // namespace epochcast::telemetry
