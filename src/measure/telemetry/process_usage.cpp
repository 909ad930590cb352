#include "src/measure/telemetry/process_usage.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/base/core/text.hpp"
#include "src/measure/telemetry/files.hpp"
#include "src/measure/telemetry/process_stat.hpp"

namespace epochcast::telemetry {
namespace {

namespace fs = std::filesystem;

constexpr double kib = 1024;

/// Adds the use of one process to `usage`. Returns its state, ' ' if it is gone.
char add_process(const fs::path& folder, double ticks_per_s, ProcessUsage& usage) {
  const auto stat = ProcessStat::parse(read_small_file(folder / "stat"));
  if (!stat) {
    return ' ';
  }
  for (const auto word : {StatWord::user_time, StatWord::system_time, StatWord::children_user_time,
                          StatWord::children_system_time}) {
    if (const auto ticks = stat->number(word)) {
      add_to(usage.cpu_s, *ticks / ticks_per_s);
    }
  }
  add_to(usage.major_faults, stat->number(StatWord::major_faults));
  add_to(usage.major_faults, stat->number(StatWord::children_major_faults));
  const auto status = read_small_file(folder / "status");
  for (const auto& [key, sum] :
       {std::pair{"VmRSS:", &usage.resident_bytes}, std::pair{"VmSwap:", &usage.swapped_bytes}}) {
    add_to(*sum, number_after(status, key), kib);
  }
  const auto now = number_after(status, "VmRSS:");
  const auto peak = number_after(status, "VmHWM:");
  if (const auto pid = number_after(status, "Pid:"); pid && now && peak) {
    usage.resident_of[static_cast<int>(*pid)] = {*now * kib, *peak * kib};
  }
  const auto io = read_small_file(folder / "io");
  add_to(usage.read_bytes, number_after(io, "read_bytes:"));
  add_to(usage.written_bytes, number_after(io, "write_bytes:"));
  return stat->state();
}

/// The processes that a process started, from its threads; std::nullopt if the kernel does not
/// tell.
std::optional<std::vector<std::string>> children_of(const fs::path& folder) {
  std::vector<std::string> children;
  std::error_code error;
  bool told = false;
  for (const auto& thread : fs::directory_iterator(folder / "task", error)) {
    std::error_code missing;
    told = told || fs::exists(thread.path() / "children", missing);
    for (const auto& word : split(read_small_file(thread.path() / "children"), ' ')) {
      if (!trim(word).empty()) {
        children.emplace_back(trim(word));
      }
    }
  }
  return told ? std::optional(children) : std::nullopt;
}

void add_threads(const fs::path& folder, ProcessUsage& usage) {
  std::error_code error;
  for (const auto& thread : fs::directory_iterator(folder / "task", error)) {
    const auto times = read_thread_times(thread.path());
    const auto number = parse_integer(thread.path().filename().string());
    if (times && number) {
      usage.threads[static_cast<int>(*number)] = *times;
    }
  }
}

}  // namespace

std::optional<ThreadTimes> read_thread_times(const fs::path& folder) {
  constexpr double ns = 1e-9;
  const auto times = read_small_file(folder / "schedstat");
  const auto ran = first_number(word_at(times, 0));
  const auto waited = first_number(word_at(times, 1));
  return ran && waited ? std::optional(ThreadTimes{*ran * ns, *waited * ns}) : std::nullopt;
}

std::optional<double> waited_between(const ProcessUsage& before, const ProcessUsage& after) {
  constexpr double least_seen = 0.5;
  constexpr double tick_error_s = 0.02;
  if (after.threads.empty() || !before.cpu_s || !after.cpu_s) {
    return std::nullopt;
  }
  double ran_s = 0;
  double slowest_s = 0;
  for (const auto& [number, times] : after.threads) {
    const auto found = before.threads.find(number);
    const auto start = found == before.threads.end() ? ThreadTimes{} : found->second;
    ran_s += std::max(0.0, times.ran_s - start.ran_s);
    slowest_s = std::max(slowest_s, times.waited_s - start.waited_s);
  }
  const double used_s = *after.cpu_s - *before.cpu_s - tick_error_s;
  return ran_s >= least_seen * used_s ? std::optional(slowest_s) : std::nullopt;
}

std::optional<double> most_resident_between(const ProcessUsage& before, const ProcessUsage& after) {
  auto most = after.resident_bytes;
  for (const auto& [pid, memory] : after.resident_of) {
    const auto found = before.resident_of.find(pid);
    if (most && (found == before.resident_of.end() || found->second.peak < memory.peak)) {
      *most += std::max(0.0, memory.peak - memory.now);
    }
  }
  return most;
}

ProcessUsage read_process_usage(const fs::path& root, Processes which, double ticks_per_s,
                                int helper) {
  const auto processes = root / "proc";
  ProcessUsage usage;
  if (which == Processes::unknown) {
    return usage;
  }
  if (which == Processes::own) {
    add_process(processes / "self", ticks_per_s, usage);
    add_threads(processes / "self", usage);
    return usage;
  }
  auto waiting = children_of(processes / "self");
  if (!waiting) {
    return usage;
  }
  add_process(processes / "self", ticks_per_s, usage);
  std::set<std::string> seen;
  bool any_runs = false;
  bool any_known = false;
  while (!waiting->empty()) {
    const auto pid = waiting->back();
    waiting->pop_back();
    if (!seen.insert(pid).second) {
      continue;
    }
    usage.below.push_back(static_cast<int>(parse_integer(pid).value_or(0)));
    const char letter = add_process(processes / pid, ticks_per_s, usage);
    if (usage.below.back() != helper) {
      add_threads(processes / pid, usage);
      any_runs = any_runs || (letter != 'T' && letter != ' ' && letter != 'Z');
      any_known = true;
    }
    for (const auto& child : children_of(processes / pid).value_or(std::vector<std::string>{})) {
      waiting->push_back(child);
    }
  }
  usage.is_stopped = any_known && !any_runs;
  return usage;
}

}  // namespace epochcast::telemetry
