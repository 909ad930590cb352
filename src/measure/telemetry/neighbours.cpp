#include "src/measure/telemetry/neighbours.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/telemetry/files.hpp"
#include "src/measure/telemetry/process_stat.hpp"

namespace epochcast::telemetry {
namespace {

namespace fs = std::filesystem;

std::optional<ProcessTimes> process_in(const std::string& text, double ticks_per_s) {
  const auto stat = ProcessStat::parse(text);
  if (!stat) {
    return std::nullopt;
  }
  const auto number = [&](StatWord word) { return stat->number(word).value_or(0); };
  const auto seconds = [&](StatWord user, StatWord system) {
    return (number(user) + number(system)) / ticks_per_s;
  };
  return ProcessTimes{
      .program = stat->program,
      .parent = static_cast<int>(number(StatWord::parent)),
      .own_s = seconds(StatWord::user_time, StatWord::system_time),
      .children_s = seconds(StatWord::children_user_time, StatWord::children_system_time),
      .threads = static_cast<int>(number(StatWord::threads)),
      .last_cpu = static_cast<int>(number(StatWord::last_cpu))};
}

/// The ranks of the job of `self`: programs of the same name that the same parent started.
std::set<int> ranks_beside(const std::map<int, ProcessTimes>& processes, int self) {
  std::set<int> ranks;
  const auto itself = processes.find(self);
  for (const auto& [pid, process] : processes) {
    if (pid != self && itself != processes.end() && process.parent == itself->second.parent &&
        process.program == itself->second.program) {
      ranks.insert(pid);
    }
  }
  return ranks;
}

/// With all processes below them.
std::set<int> with_children(std::set<int> own, const std::map<int, ProcessTimes>& processes) {
  for (std::size_t known = 0; known != own.size();) {
    known = own.size();
    for (const auto& [pid, process] : processes) {
      if (own.contains(process.parent)) {
        own.insert(pid);
      }
    }
  }
  return own;
}

/// The nearest process above one that has ended that has not; 0 if there is none.
int living_ancestor(int pid, const std::map<int, ProcessTimes>& before,
                    const std::map<int, ProcessTimes>& after) {
  for (auto found = before.find(pid); found != before.end();) {
    const int parent = found->second.parent;
    if (after.contains(parent)) {
      return parent;
    }
    found = before.find(parent);
    if (found != before.end() && found->second.parent == parent) {
      break;
    }
  }
  return 0;
}

/// Whether `list`, such as "0-3,8", has one of `cpus`.
bool has_any(const std::string& list, const std::vector<int>& cpus) {
  for (const auto& range : split(list, ',')) {
    const auto dash = range.find('-');
    const auto first = parse_integer(trim(range.substr(0, dash)));
    const auto last =
        dash == std::string::npos ? first : parse_integer(trim(range.substr(dash + 1)));
    if (first && last &&
        std::ranges::any_of(cpus, [&](int cpu) { return *first <= cpu && cpu <= *last; })) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::map<int, ProcessTimes> read_processes(const fs::path& root, double ticks_per_s) {
  std::map<int, ProcessTimes> processes;
  std::error_code error;
  for (fs::directory_iterator entry(root / "proc", error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto pid = parse_integer(entry->path().filename().string())) {
      if (auto process = process_in(read_small_file(entry->path() / "stat"), ticks_per_s)) {
        processes.emplace(static_cast<int>(*pid), std::move(*process));
      }
    }
  }
  return processes;
}

std::map<int, double> used_between(const std::map<int, ProcessTimes>& before,
                                   const std::map<int, ProcessTimes>& after) {
  // What a process used before the first look is in its parent's sum once it has ended.
  std::map<int, double> inherited_s;
  for (const auto& [pid, process] : before) {
    if (!after.contains(pid)) {
      inherited_s[living_ancestor(pid, before, after)] += process.own_s + process.children_s;
    }
  }
  std::map<int, double> used;
  for (const auto& [pid, process] : after) {
    const auto found = before.find(pid);
    const auto start = found == before.end() ? ProcessTimes{} : found->second;
    const double children_s =
        std::max(0.0, process.children_s - start.children_s - inherited_s[pid]);
    const double used_s = std::max(0.0, process.own_s - start.own_s) + children_s;
    if (used_s > 0) {
      used[pid] = used_s;
    }
  }
  return used;
}

Neighbours::Neighbours(fs::path root, std::vector<int> cpus, double ticks_per_s)
    : root_(std::move(root)), cpus_(std::move(cpus)), ticks_per_s_(ticks_per_s) {}

std::optional<Neighbour> Neighbours::sampled(double now_s, double other_s, bool disturbs) {
  constexpr double first_pause_s = 1;
  constexpr double least_pause_s = 3;
  constexpr double most_cost = 0.0003;
  other_s_ += other_s;
  if (!disturbs || now_s < next_s_) {
    return std::nullopt;
  }
  const double start_cpu_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID);
  Look look{now_s, read_processes(root_, ticks_per_s_)};
  const bool continues = last_ && now_s - last_->at_s <= 2 * std::max(pause_s_, first_pause_s);
  const auto found = continues ? between(*last_, look) : std::nullopt;
  pause_s_ =
      std::max(least_pause_s, (cpu_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_cpu_s) / most_cost);
  next_s_ = now_s + (continues ? pause_s_ : first_pause_s);
  last_ = std::move(look);
  other_s_ = 0;
  return found;
}

bool Neighbours::may_use_our_cpus(int pid, const ProcessTimes& process) const {
  if (process.threads <= 1) {
    return std::ranges::find(cpus_, process.last_cpu) != cpus_.end();
  }
  const auto status = read_small_file(root_ / "proc" / std::to_string(pid) / "status");
  constexpr std::string_view key = "Cpus_allowed_list:";
  const auto allowed = status.find(key);
  if (allowed == std::string::npos) {
    return true;
  }
  const auto start = allowed + key.size();
  return has_any(status.substr(start, status.find('\n', start) - start), cpus_);
}

std::optional<Neighbour> Neighbours::between(const Look& before, const Look& after) const {
  constexpr double least_share = 0.2;
  const int self =
      static_cast<int>(first_number(read_small_file(root_ / "proc/self/stat")).value_or(0));
  const auto ranks = ranks_beside(after.processes, self);
  auto own = ranks;
  own.insert(self);
  own = with_children(std::move(own), after.processes);
  std::map<std::string, double> programs;
  double ranks_s = 0;
  double all_s = 0;
  for (const auto& [pid, used_s] : used_between(before.processes, after.processes)) {
    const auto& process = after.processes.at(pid);
    if (own.contains(pid)) {
      ranks_s += ranks.contains(pid) ? used_s : 0;
    } else if (may_use_our_cpus(pid, process)) {
      programs[process.program] += used_s;
      all_s += used_s;
    }
  }
  const auto most =
      std::ranges::max_element(programs, {}, [](const auto& row) { return row.second; });
  if (most == programs.end()) {
    return std::nullopt;
  }
  const double share = most->second / std::max(all_s, other_s_ - ranks_s);
  return share < least_share ? std::nullopt
                             : std::optional(Neighbour{printable(most->first), share});
}

}  // namespace epochcast::telemetry
