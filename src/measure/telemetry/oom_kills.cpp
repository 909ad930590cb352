#include "src/measure/telemetry/oom_kills.hpp"

#include "src/measure/telemetry/cgroup.hpp"
#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

std::optional<std::int64_t> count_in(const std::filesystem::path& file) {
  const auto count = number_after(read_small_file(file), "oom_kill");
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

}  // namespace

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
