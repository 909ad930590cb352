// Which other program uses the CPUs of the run: /proc/PID/stat of all processes, now and then.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace epochcast::telemetry {

/// One process, since it started.
struct ProcessTimes {
  std::string program;  ///< As the kernel names it: at most 15 bytes, set by the program itself.
  int parent = 0;
  double own_s = 0;
  double children_s = 0;  ///< Of children that it has waited for.
  int threads = 1;
  int last_cpu = -1;
};

/// Of all processes that this user may see (hidepid hides others'), by number.
std::map<int, ProcessTimes> read_processes(const std::filesystem::path& root, double ticks_per_s);

/// The CPU time that each process of `after` used since `before`, with children that started and
/// ended in between; no row for one that used none.
std::map<int, double> used_between(const std::map<int, ProcessTimes>& before,
                                   const std::map<int, ProcessTimes>& after);

/// The program that used most of what others used of some CPUs.
struct Neighbour {
  std::string program;  ///< Printable.
  double share = 0;     ///< Of the CPU time of others, at most 1.
};

/// Looks for the neighbour while others use the CPUs. A look reads a file of every process, some 10
/// us each, so it comes at most every three seconds and takes at most 0.03 % of one CPU; the second
/// look comes a second after the first one, since it takes two to tell.
class Neighbours {
 public:
  Neighbours(std::filesystem::path root, std::vector<int> cpus, double ticks_per_s);

  /// Others used `other_s` of CPU time since the call before; `disturbs`: that is enough for a
  /// look. The neighbour since the look before. std::nullopt: this was no look, or the first one,
  /// or no process that can be seen used a fifth of the time.
  std::optional<Neighbour> sampled(double now_s, double other_s, bool disturbs);

 private:
  struct Look {
    double at_s = 0;
    std::map<int, ProcessTimes> processes;
  };
  std::optional<Neighbour> between(const Look& before, const Look& after) const;
  bool may_use_our_cpus(int pid, const ProcessTimes& process) const;

  std::filesystem::path root_;
  std::vector<int> cpus_;
  double ticks_per_s_;
  std::optional<Look> last_;
  double next_s_ = 0;   ///< Not before this time.
  double pause_s_ = 0;  ///< Between looks, by what they cost.
  double other_s_ = 0;  ///< Since the last look.
};

}  // namespace epochcast::telemetry
