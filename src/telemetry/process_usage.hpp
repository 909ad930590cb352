// What a process used since it started: /proc/PID/stat, status and io.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace epochcast::telemetry {

/// Whose use is read: only the process itself, or also all processes below it.
enum class Processes { own, tree };

struct ProcessUsage {
  std::optional<double> cpu_s;  ///< With children that it has waited for.
  std::optional<double> major_faults;
  std::optional<double> resident_bytes;
  std::optional<double> swapped_bytes;
  std::optional<double> read_bytes;     ///< From disks, not from the page cache.
  std::optional<double> written_bytes;  ///< To disks.
  bool is_stopped = false;              ///< All processes below it are stopped by a signal.
  std::vector<int> below;               ///< The processes below it, in a tree.
};

/// The use of this process, and in a tree of all below it, whose sum goes on when one of them ends
/// and its parent waits for it. The use of a process that left the tree (its parent ended first) is
/// lost. In a tree, all values are empty if the kernel does not tell which processes are below it.
/// The kernel does not tell everybody the bytes of others' disks: they are then empty.
/// `helper`, a process below this one that is not the program's, does not count for `is_stopped`.
ProcessUsage read_process_usage(const std::filesystem::path& root, Processes which,
                                double ticks_per_s, int helper = 0);

}  // namespace epochcast::telemetry
