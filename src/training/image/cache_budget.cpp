#include "src/training/image/cache_budget.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "src/base/core/text.hpp"

namespace epochcast::image {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return parse_integer(word).value_or(unlimited);  // the file contains "max" or does not exist
}

std::int64_t available_bytes(const fs::path& root) {
  std::ifstream meminfo(root / "proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  for (std::string unit; meminfo >> name >> kib;) {
    if (name == "MemAvailable:") {
      return kib * 1024;
    }
    std::getline(meminfo, unit);
  }
  return unlimited;
}

/// The lowest limit of `group` and all its parents.
std::int64_t least_limit(const fs::path& mount, fs::path group, const char* file) {
  std::int64_t least = number_in(mount / file);
  for (; group.has_relative_path(); group = group.parent_path()) {
    least = std::min(least, number_in(mount / group.relative_path() / file));
  }
  return least;
}

/// The lowest memory limit of both versions of control groups: "0::/path" (v2) and "4:memory:/path"
/// (v1).
std::int64_t group_limit_bytes(const fs::path& root) {
  std::int64_t least = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto parts = split(line, ':');
    if (parts.size() == 3 && parts[1].empty()) {
      least = std::min(least, least_limit(root / "sys/fs/cgroup", parts[2], "memory.max"));
    } else if (parts.size() == 3 && parts[1] == "memory") {
      least = std::min(
          least, least_limit(root / "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::int64_t slurm_bytes() {
  const char* mib = std::getenv("SLURM_MEM_PER_NODE");
  const std::int64_t number = parse_integer(mib == nullptr ? "" : mib).value_or(0);
  return number > 0 ? number << 20 : unlimited;  // 0: all memory of the node
}

}  // namespace

std::int64_t cache_budget_bytes(const std::string& root) {
  return std::min({available_bytes(root), group_limit_bytes(root), slurm_bytes()}) / 4;
}

}  // namespace epochcast::image
