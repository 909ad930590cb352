#include "src/measure/telemetry/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::telemetry {
namespace {

using record::EpochUsage;

/// A paging process may seem to be stopped, since its threads wait in the kernel.
bool is_explained(const EpochUsage& usage, Cause cause) {
  return cause == Cause::stop && taken_share(usage, Cause::memory).value_or(0) > epoch_limit;
}

bool is_disturbed(const EpochUsage& usage, Cause cause) {
  return taken_share(usage, cause).value_or(0) > epoch_limit && !is_explained(usage, cause);
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
  bool tells_wait = false;                        ///< lost_s is from waits that were measured.
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

std::string cause_text(Cause cause, const Effect& effect, bool name_ranks) {
  const auto lost = percent(std::min(1.0, effect.lost_s / effect.duration_s));
  const auto shown = percent(std::min(1.0, effect.shown_s / effect.duration_s));
  const auto cpus =
      effect.cpus == 1 ? std::string("its CPU") : fmt::format("the {} CPUs", effect.cpus);
  const auto when = epochs_text(effect.epochs);
  const auto where = name_ranks ? fmt::format(" of rank {}", *effect.ranks.begin()) : "";
  switch (cause) {
    case Cause::other_processes:
      return fmt::format(
          "{} used {} of {}{}{} during {}", neighbour_text(effect), shown, cpus, where,
          effect.tells_wait ? fmt::format(" and took {} of the time", lost) : "", when);
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
  effect.tells_wait = effect.tells_wait || !std::isnan(usage.cpu_wait_s);
  if (cause == Cause::other_processes && !usage.other_program.view().empty()) {
    effect.programs_s[usage.other_program.str()] += usage.other_program_share * usage.other_cpu_s;
    effect.named_s += usage.other_cpu_s;
  }
}

struct Losses {
  std::map<Cause, Effect> effects;
  std::map<std::int64_t, double> lost_s;  ///< By epoch: the rank that lost most delays the others.
  std::map<std::int64_t, double> duration_s;
  std::set<std::int64_t> ranks;
};

/// Others' use of the CPUs does not count in the epochs `without_others`.
Losses losses_of(std::span<const EpochUsage> usage, const std::set<std::int64_t>& without_others) {
  Losses losses;
  for (const auto& row : usage) {
    losses.ranks.insert(row.rank);
    losses.duration_s[row.epoch] = row.duration_s;
    for (const auto cause : all_causes) {
      const bool counts = cause != Cause::other_processes || !without_others.contains(row.epoch);
      if (counts && is_disturbed(row, cause)) {
        add(losses.effects[cause], row, cause);
        auto& lost = losses.lost_s[row.epoch];
        lost = std::max(lost, taken_share(row, cause).value_or(0) * row.duration_s);
      }
    }
  }
  return losses;
}

/// The epochs in which the run waited while others worked, and that were as long as the quiet ones
/// all the same, by their sum; the first epoch, which may be longer by itself, is judged alone.
std::set<std::int64_t> without_loss(const Losses& losses) {
  constexpr std::size_t least_quiet = 3;
  constexpr double least_share = 0.5;
  const auto others = losses.effects.find(Cause::other_processes);
  if (others == losses.effects.end() || !others->second.tells_wait) {
    return {};
  }
  std::vector<double> quiet_s;
  for (const auto& [epoch, time_s] : losses.duration_s) {
    if (epoch > 0 && !losses.lost_s.contains(epoch)) {
      quiet_s.push_back(time_s);
    }
  }
  if (quiet_s.size() < least_quiet) {
    return {};
  }
  std::set<std::int64_t> found;
  for (const bool is_first : {true, false}) {
    double spared_s = 0;  // what the waits tell, less what the epochs were longer
    std::set<std::int64_t> epochs;
    for (const auto epoch : others->second.epochs) {
      if ((epoch == 0) == is_first) {
        epochs.insert(epoch);
        spared_s += least_share * losses.lost_s.at(epoch) + median_of(quiet_s) -
                    losses.duration_s.at(epoch);
      }
    }
    if (spared_s > 0) {
      found.merge(epochs);
    }
  }
  return found;
}

double sum_of_times(const std::map<std::int64_t, double>& times_s) {
  return summed(times_s, [](const auto& of_epoch) { return of_epoch.second; });
}

}  // namespace

std::optional<Disturbance> find_disturbance(std::span<const EpochUsage> usage) {
  auto losses = losses_of(usage, {});
  if (const auto found = without_loss(losses); !found.empty()) {
    losses = losses_of(usage, found);
  }
  const double share = sum_of_times(losses.lost_s) / sum_of_times(losses.duration_s);
  if (!(share > run_limit)) {
    return std::nullopt;
  }
  Disturbance disturbance{.lost_share = share, .epochs = {}, .text = {}};
  for (const auto& [epoch, time_s] : losses.lost_s) {
    disturbance.epochs.push_back(epoch);
  }
  std::vector<std::string> texts;
  for (const auto& [cause, effect] : losses.effects) {
    texts.push_back(cause_text(cause, effect, losses.ranks.size() > 1 && effect.ranks.size() == 1));
  }
  disturbance.text = join(texts, "; ");
  return disturbance;
}

std::string disturbance_text(const record::Record& record) {
  const auto found = find_disturbance(record.usage);
  return found ? found->text : "";
}

double harmless_use(std::span<const EpochUsage> usage) {
  double used_s = 0;
  double all_s = 0;
  for (const auto& row : usage) {
    if (!std::isnan(row.cpu_wait_s) && !std::isnan(row.other_cpu_s)) {
      used_s += row.other_cpu_s;
      all_s += cpu_time_s(row);
    }
  }
  const bool is_harmless = used_s > epoch_limit * all_s && !find_disturbance(usage);
  return is_harmless ? used_s / all_s : 0;
}

}  // namespace epochcast::telemetry
