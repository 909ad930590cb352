#include "src/telemetry/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "src/core/text.hpp"

namespace epochcast::telemetry {
namespace {

using record::EpochUsage;

constexpr std::array causes{
    Cause::other_processes, Cause::steal,         Cause::throttling, Cause::stop,
    Cause::memory,          Cause::gpu_processes, Cause::gpu_heat};

std::optional<double> measured(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

double cpu_time_s(const EpochUsage& usage) {
  return static_cast<double>(usage.cpus) * usage.covered_s;
}

double taken_by_others(const EpochUsage& usage) {
  constexpr double tick_error_s = 0.03;
  const auto cpus = static_cast<double>(usage.cpus);
  const auto threads = static_cast<double>(std::clamp<std::int64_t>(usage.threads, 1, usage.cpus));
  const double spare_s = (cpus - threads) * usage.covered_s + cpus * tick_error_s;
  return std::max(0.0, usage.other_cpu_s - spare_s) / (threads * usage.covered_s);
}

std::optional<double> waited_for_memory(const EpochUsage& usage) {
  constexpr double faults_of_run = 10;
  constexpr double many_faults = 100;
  constexpr double share_of_many = 0.1;
  const double faults_per_s = usage.major_faults / usage.covered_s;
  if (const auto stall_s = measured(usage.memory_stall_s)) {
    const bool is_own = usage.stalls_of.view() == "cgroup" || faults_per_s >= faults_of_run;
    return is_own ? *stall_s / usage.covered_s : 0;
  }
  if (std::isnan(usage.major_faults) || std::isnan(usage.memory_limit_hits)) {
    return std::nullopt;
  }
  const bool meets_limit = usage.memory_limit_hits > 0;
  return meets_limit && faults_per_s >= many_faults ? share_of_many : 0;
}

/// taken_share() of a usage that can be judged.
std::optional<double> share_of(const EpochUsage& usage, Cause cause) {
  const auto of_time = [&](double value, double time_s) {
    return std::isnan(value) ? std::nullopt : std::optional(value / time_s);
  };
  switch (cause) {
    case Cause::other_processes:
      return std::isnan(usage.other_cpu_s) ? std::nullopt : std::optional(taken_by_others(usage));
    case Cause::steal:
      return of_time(usage.steal_s, cpu_time_s(usage));
    case Cause::throttling:
      return of_time(usage.throttled_s, cpu_time_s(usage));
    case Cause::stop:
      return of_time(usage.stopped_s, usage.covered_s);
    case Cause::memory:
      return waited_for_memory(usage);
    case Cause::gpu_processes:
      return measured(usage.gpu_other_use);
    case Cause::gpu_heat:
      return of_time(usage.gpu_hot_s, usage.covered_s);
  }
  return std::nullopt;
}

/// A paging process may seem to be stopped, since its threads wait in the kernel.
bool is_explained(const EpochUsage& usage, Cause cause) {
  return cause == Cause::stop && share_of(usage, Cause::memory).value_or(0) > epoch_limit;
}

bool is_disturbed(const EpochUsage& usage, Cause cause) {
  return taken_share(usage, cause).value_or(0) > epoch_limit && !is_explained(usage, cause);
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", std::min(share, 1.0) * 100);
}

/// "epoch 3", "epochs 2 to 5", "epochs 2, 4 and 7 to 9", counted from 1; "the run" for a command.
std::string epochs_text(const std::set<std::int64_t>& epochs) {
  if (epochs.contains(-1)) {
    return "the run";
  }
  constexpr std::size_t most_ranges = 6;
  std::vector<std::string> ranges;
  for (auto first = epochs.begin(); first != epochs.end();) {
    auto last = first;
    while (std::next(last) != epochs.end() && *std::next(last) == *last + 1) {
      ++last;
    }
    ranges.push_back(first == last ? fmt::format("{}", *first + 1)
                                   : fmt::format("{} to {}", *first + 1, *last + 1));
    first = std::next(last);
  }
  const std::string noun = epochs.size() == 1 ? "epoch " : "epochs ";
  if (ranges.size() > most_ranges) {
    const auto more = ranges.size() - most_ranges;
    ranges.resize(most_ranges);
    return noun + join(ranges, ", ") + fmt::format(" and {} more times", more);
  }
  if (ranges.size() == 1) {
    return noun + ranges.front();
  }
  const auto last = ranges.back();
  ranges.pop_back();
  return noun + join(ranges, ", ") + " and " + last;
}

/// What a cause did in the epochs that it disturbed.
struct Effect {
  std::set<std::int64_t> epochs;
  std::set<std::int64_t> ranks;
  double duration_s = 0;
  double lost_s = 0;   ///< By taken_share().
  double shown_s = 0;  ///< The same before spare CPUs are taken off: what a monitor would show.
  std::int64_t cpus = 0;
  std::map<std::string, double> programs_s = {};  ///< CPU time of others, by program.
  double named_s = 0;  ///< CPU time of others in epochs in which a program is known.
};

/// "another process (apt-get)"; where it was not alone, what used most.
std::string neighbour_text(const Effect& effect) {
  constexpr double nearly_all = 0.8;
  const auto most =
      std::ranges::max_element(effect.programs_s, {}, [](const auto& row) { return row.second; });
  if (most == effect.programs_s.end()) {
    return "another process";
  }
  const auto name = printable(most->first);
  return most->second >= nearly_all * effect.named_s
             ? fmt::format("another process ({})", name)
             : fmt::format("other processes (most of all {})", name);
}

std::string text_of(Cause cause, const Effect& effect, bool name_ranks) {
  const auto lost = percent(effect.lost_s / effect.duration_s);
  const auto shown = percent(effect.shown_s / effect.duration_s);
  const auto cpus =
      effect.cpus == 1 ? std::string("its CPU") : fmt::format("the {} CPUs", effect.cpus);
  const auto when = epochs_text(effect.epochs);
  const auto where = name_ranks ? fmt::format(" of rank {}", *effect.ranks.begin()) : "";
  switch (cause) {
    case Cause::other_processes:
      return fmt::format("{} used {} of {}{} during {}", neighbour_text(effect), shown, cpus, where,
                         when);
    case Cause::steal:
      return fmt::format("the hypervisor gave {} of {}{} to others during {}", shown, cpus, where,
                         when);
    case Cause::throttling:
      return fmt::format("the CPU limit of the cgroup kept back {} of {}{} during {}", shown, cpus,
                         where, when);
    case Cause::stop:
      return fmt::format(
          "the process{} did not run for {:.1f} s (stopped, or the machine paused) "
          "during {}",
          where, effect.lost_s, when);
    case Cause::memory:
      return fmt::format(
          "want of memory took {} of the time{} (pages were read back from a disk) "
          "during {}",
          lost, where, when);
    case Cause::gpu_processes:
      return fmt::format("other processes used {} of the GPU{} during {}", lost, where, when);
    case Cause::gpu_heat:
      return fmt::format(
          "the GPU{} lowered its clock because of heat or its power supply for {} "
          "of the time during {}",
          where, lost, when);
  }
  return "";
}

/// The share of the CPUs, as a monitor of the system would show it.
double shown_share(const EpochUsage& usage, Cause cause, double taken) {
  return cause == Cause::other_processes ? usage.other_cpu_s / cpu_time_s(usage) : taken;
}

void add(Effect& effect, const EpochUsage& usage, Cause cause) {
  const double taken = taken_share(usage, cause).value_or(0);
  effect.epochs.insert(usage.epoch);
  effect.ranks.insert(usage.rank);
  effect.duration_s += usage.duration_s;
  effect.lost_s += taken * usage.duration_s;
  effect.shown_s += shown_share(usage, cause, taken) * usage.duration_s;
  effect.cpus = std::max(effect.cpus, usage.cpus);
  if (cause == Cause::other_processes && !usage.other_program.view().empty()) {
    effect.programs_s[usage.other_program.str()] += usage.other_program_share * usage.other_cpu_s;
    effect.named_s += usage.other_cpu_s;
  }
}

}  // namespace

std::optional<double> taken_share(const EpochUsage& usage, Cause cause) {
  constexpr double enough = 0.5;
  const bool can_judge =
      usage.covered_s > 0 && usage.covered_s >= enough * usage.duration_s && usage.cpus > 0;
  return can_judge ? share_of(usage, cause) : std::nullopt;
}

std::optional<double> most_taken_share(const EpochUsage& usage) {
  std::optional<double> most;
  for (const auto cause : causes) {
    const auto share = taken_share(usage, cause);
    if (share && (!most || *share > *most)) {
      most = share;
    }
  }
  return most;
}

std::optional<Disturbance> find_disturbance(std::span<const EpochUsage> usage) {
  std::map<Cause, Effect> effects;
  std::map<std::int64_t, double> lost_s;  // by epoch: the rank that lost most delays the others
  std::map<std::int64_t, double> duration_s;
  std::set<std::int64_t> ranks;
  for (const auto& row : usage) {
    ranks.insert(row.rank);
    duration_s[row.epoch] = row.duration_s;
    for (const auto cause : causes) {
      if (is_disturbed(row, cause)) {
        add(effects[cause], row, cause);
        auto& lost = lost_s[row.epoch];
        lost = std::max(lost, taken_share(row, cause).value_or(0) * row.duration_s);
      }
    }
  }
  double all_s = 0;
  double all_lost_s = 0;
  Disturbance disturbance;
  for (const auto& [epoch, time_s] : duration_s) {
    all_s += time_s;
  }
  for (const auto& [epoch, time_s] : lost_s) {
    all_lost_s += time_s;
    disturbance.epochs.push_back(epoch);
  }
  if (!(all_lost_s > run_limit * all_s)) {
    return std::nullopt;
  }
  disturbance.lost_share = all_lost_s / all_s;
  std::vector<std::string> texts;
  for (const auto& [cause, effect] : effects) {
    texts.push_back(text_of(cause, effect, ranks.size() > 1 && effect.ranks.size() == 1));
  }
  disturbance.text = join(texts, "; ");
  return disturbance;
}

std::string disturbance_text(const record::Record& record) {
  const auto found = find_disturbance(record.usage);
  return found ? found->text : "";
}

}  // namespace epochcast::telemetry
