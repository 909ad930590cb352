// What a process used since it started: /proc/PID/stat, status, io, and schedstat of its threads.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace epochcast::telemetry {

/// Whose use is read: only the process itself, or also all processes below it. unknown: what
/// belongs to the run cannot be told, as of a service that others started; no use is read.
enum class Processes { own, tree, unknown };

/// A thread since it started.
struct ThreadTimes {
  double ran_s = 0;
  double waited_s = 0;  ///< It was ready, and no CPU was free for it.
};

/// Of the thread with this folder, such as /proc/thread-self; std::nullopt if the kernel keeps no
/// such times.
std::optional<ThreadTimes> read_thread_times(const std::filesystem::path& folder);

/// The resident memory of a process, in bytes.
struct ResidentMemory {
  double now = 0;
  double peak = 0;  ///< Since its start.
};

struct ProcessUsage {
  std::optional<double> cpu_s;  ///< With children that it has waited for.
  std::optional<double> major_faults;
  std::optional<double> resident_bytes;
  std::map<int, ResidentMemory> resident_of;  ///< By process; where the kernel keeps the peak.
  std::optional<double> swapped_bytes;
  std::optional<double> read_bytes;     ///< From disks, not from the page cache.
  std::optional<double> written_bytes;  ///< To disks.
  bool is_stopped = false;              ///< All processes below it are stopped by a signal.
  std::vector<int> below;               ///< The processes below it, in a tree.
  /// By number; in a tree, only those of the program: not of this process, nor of the helper. Empty
  /// if the kernel keeps no such times.
  std::map<int, ThreadTimes> threads;
};

/// The time for which the thread that waited longest waited for a CPU between the two; threads of a
/// run wait for each other, so the slowest one tells what the run lost. std::nullopt if the threads
/// that are seen, which have not ended in between, ran for less than half of the CPU time, of which
/// 20 ms may be ticks.
std::optional<double> waited_between(const ProcessUsage& before, const ProcessUsage& after);

/// The most resident memory between the two: of a process whose peak rose meanwhile its peak, of
/// the others what they have now. Rather too much where several had their peaks at different times.
std::optional<double> most_resident_between(const ProcessUsage& before, const ProcessUsage& after);

/// The use of this process, and in a tree of all below it, whose sum goes on when one of them ends
/// and its parent waits for it. The use of a process that left the tree (its parent ended first) is
/// lost. In a tree, all values are empty if the kernel does not tell which processes are below it.
/// The kernel does not tell everybody the bytes of others' disks: they are then empty.
/// `helper`, a process below this one that is not the program's, does not count for `is_stopped`
/// and `threads`.
ProcessUsage read_process_usage(const std::filesystem::path& root, Processes which,
                                double ticks_per_s, int helper = 0);

}  // namespace epochcast::telemetry
