#include "src/measure/telemetry/usage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "src/base/core/lists.hpp"
#include "src/measure/telemetry/gpus.hpp"

namespace epochcast::telemetry {
namespace {

using record::EpochUsage;
using record::GpuTelemetry;
using record::Telemetry;

/// The part of a sample's time that lies in the span, in seconds.
template <class Row>
double shared_s(const Row& row, const TimeSpan& span) {
  return std::max(
      0.0, std::min(row.end_s, span.end_s) - std::max(row.end_s - row.duration_s, span.start_s));
}

/// The sum of an amount over the span. NaN if a sample lacks it: part of a sum is no sum.
template <class Row>
double amount(const std::vector<const Row*>& rows, const TimeSpan& span, double Row::*field) {
  const auto sum = summed(
      rows, [&](const auto* row) { return row->*field * shared_s(*row, span) / row->duration_s; });
  return rows.empty() ? record::not_measured : sum;
}

/// The mean of a level over those samples that have it, by time.
template <class Row>
double mean(const std::vector<const Row*>& rows, const TimeSpan& span, double Row::*field) {
  double sum = 0;
  double time_s = 0;
  for (const auto* row : rows) {
    if (!std::isnan(row->*field)) {
      sum += row->*field * shared_s(*row, span);
      time_s += shared_s(*row, span);
    }
  }
  return time_s > 0 ? sum / time_s : record::not_measured;
}

double most(const std::vector<const Telemetry*>& rows, double Telemetry::*field) {
  double value = record::not_measured;
  for (const auto* row : rows) {
    value = std::fmax(value, row->*field);  // fmax ignores NaN
  }
  return value;
}

/// The samples of one rank that reach into the span.
struct OfRank {
  std::int64_t rank = 0;
  std::vector<const Telemetry*> samples = {};
  std::vector<const GpuTelemetry*> gpus = {};
};

/// Ranks on the same CPUs of one machine.
struct Group {
  std::string machine;
  std::int64_t threads = 0;
  std::vector<OfRank> ranks = {};
};

const record::Machine* machine_of(std::span<const record::Machine> machines, std::int64_t rank) {
  const auto found = std::ranges::find(machines, rank, &record::Machine::rank);
  return found == machines.end() ? nullptr : &*found;
}

std::vector<Group> groups_of(const TimeSpan& span, std::span<const record::Machine> machines,
                             std::span<const Telemetry> samples,
                             std::span<const GpuTelemetry> gpus) {
  std::map<std::int64_t, OfRank> ranks;
  for (const auto& sample : samples) {
    if (shared_s(sample, span) > 0) {
      ranks.try_emplace(sample.rank, OfRank{sample.rank}).first->second.samples.push_back(&sample);
    }
  }
  for (const auto& gpu : gpus) {
    if (const auto found = ranks.find(gpu.rank); found != ranks.end() && shared_s(gpu, span) > 0) {
      found->second.gpus.push_back(&gpu);
    }
  }
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  std::vector<Group> groups;
  for (auto& [rank, of_rank] : ranks) {
    const auto* machine = machine_of(machines, rank);
    const std::pair key = machine == nullptr
                              ? std::pair(std::string(), std::to_string(rank))
                              : std::pair(machine->boot_id.str(), machine->cpus_allowed.str());
    const auto [found, is_new] = index.emplace(key, groups.size());
    if (is_new) {
      groups.push_back({key.first});
    }
    auto& group = groups[found->second];
    group.threads += machine == nullptr ? 0 : machine->threads_used;
    group.ranks.push_back(std::move(of_rank));
  }
  return groups;
}

/// The largest value of what all ranks of a group see alike, each from its own samples.
double seen(const Group& group, const TimeSpan& span, double Telemetry::*field) {
  double value = record::not_measured;
  for (const auto& of_rank : group.ranks) {
    value = std::fmax(value, amount(of_rank.samples, span, field));
  }
  return value;
}

double sum_over_ranks(const Group& group, const TimeSpan& span, double Telemetry::*field) {
  return summed(group.ranks,
                [&](const auto& of_rank) { return amount(of_rank.samples, span, field); });
}

/// Of the rank that waited longest, since it delays the others. Where a sample lacks it, such as
/// the last one of a program, the rest stands for it; NaN if that is less than half of the time.
double wait_of_slowest_s(const Group& group, const TimeSpan& span) {
  double longest_s = record::not_measured;
  for (const auto& of_rank : group.ranks) {
    double wait_s = 0;
    double told_s = 0;
    double covered_s = 0;
    for (const auto* sample : of_rank.samples) {
      const double part_s = shared_s(*sample, span);
      covered_s += part_s;
      if (!std::isnan(sample->cpu_wait_s)) {
        told_s += part_s;
        wait_s += sample->cpu_wait_s * part_s / sample->duration_s;
      }
    }
    if (2 * told_s >= covered_s) {
      longest_s = std::fmax(longest_s, wait_s * covered_s / told_s);
    }
  }
  return longest_s;
}

void set_gpus(const Group& group, const TimeSpan& span, EpochUsage& usage) {
  std::map<std::string, std::vector<const GpuTelemetry*>> by_card;
  std::map<std::string, std::int64_t> rank_of;  // a card that two ranks share counts once
  for (const auto& of_rank : group.ranks) {
    for (const auto* row : of_rank.gpus) {
      const auto card = row->uuid.str() + "/" + std::to_string(row->gpu);
      if (rank_of.emplace(card, of_rank.rank).first->second == of_rank.rank) {
        by_card[card].push_back(row);
      }
    }
  }
  if (by_card.empty()) {
    return;
  }
  usage.gpu_energy_j = usage.gpu_use = usage.gpu_other_use = usage.gpu_hot_s = 0;
  const auto cards = static_cast<double>(by_card.size());
  for (const auto& [card, rows] : by_card) {
    usage.gpu_energy_j += amount(rows, span, &GpuTelemetry::energy_j);
    usage.gpu_use += mean(rows, span, &GpuTelemetry::use) / cards;
    usage.gpu_other_use += mean(rows, span, &GpuTelemetry::other_use) / cards;
    double hot_s = 0;
    for (const auto* row : rows) {
      hot_s += (row->throttle_reasons & hot_reasons) != 0 ? shared_s(*row, span) : 0;
    }
    usage.gpu_hot_s = std::max(usage.gpu_hot_s, hot_s);
  }
}

/// The program that the looks for neighbours named with the largest shares.
void set_neighbour(const Group& group, const TimeSpan& span, EpochUsage& usage) {
  std::map<std::string, double> share_s;
  double time_s = 0;
  for (const auto& of_rank : group.ranks) {
    for (const auto* sample : of_rank.samples) {
      if (!sample->other_program.view().empty()) {
        share_s[sample->other_program.str()] +=
            sample->other_program_share * shared_s(*sample, span);
        time_s += shared_s(*sample, span);
      }
    }
  }
  if (time_s > 0) {
    const auto most =
        std::ranges::max_element(share_s, {}, [](const auto& row) { return row.second; });
    usage.other_program = most->first;
    usage.other_program_share = most->second / time_s;
  }
}

/// Packages and memory of the node. The memory is part of the packages where it has no counter.
double cpu_energy_j(const OfRank& rank, const TimeSpan& span) {
  const double packages = amount(rank.samples, span, &Telemetry::package_energy_j);
  const double dram = amount(rank.samples, span, &Telemetry::dram_energy_j);
  return packages + (std::isnan(dram) ? 0 : dram);
}

EpochUsage usage_of_group(const Group& group, const TimeSpan& span) {
  const auto& first = group.ranks.front();
  const auto& last_sample = *first.samples.back();
  EpochUsage usage{.epoch = span.epoch,
                   .rank = first.rank,
                   .start_s = span.start_s,
                   .duration_s = span.end_s - span.start_s,
                   .cpus = last_sample.cpus,
                   .threads = group.threads > 0 ? group.threads : last_sample.cpus,
                   .stalls_of = last_sample.stalls_of};
  for (const auto* sample : first.samples) {
    usage.covered_s += shared_s(*sample, span);
  }
  usage.own_cpu_s = sum_over_ranks(group, span, &Telemetry::own_cpu_s);
  usage.cpu_wait_s = wait_of_slowest_s(group, span);
  const double busy_s = seen(group, span, &Telemetry::cpus_busy_s);
  if (!std::isnan(busy_s) && !std::isnan(usage.own_cpu_s)) {
    usage.other_cpu_s = std::max(0.0, busy_s - usage.own_cpu_s);
  }
  usage.steal_s = seen(group, span, &Telemetry::cpus_steal_s);
  usage.throttled_s = seen(group, span, &Telemetry::throttled_s);
  usage.stopped_s = seen(group, span, &Telemetry::stopped_s);
  usage.memory_stall_s = seen(group, span, &Telemetry::memory_stall_s);
  usage.io_stall_s = seen(group, span, &Telemetry::io_stall_s);
  usage.major_faults = sum_over_ranks(group, span, &Telemetry::major_faults);
  usage.memory_limit_hits = seen(group, span, &Telemetry::memory_limit_hits);
  usage.resident_bytes = 0;
  for (const auto& of_rank : group.ranks) {
    usage.resident_bytes += most(of_rank.samples, &Telemetry::resident_bytes);
  }
  usage.node_use = amount(first.samples, span, &Telemetry::node_busy_s) /
                   (usage.covered_s * static_cast<double>(last_sample.node_cpus));
  set_neighbour(group, span, usage);
  set_gpus(group, span, usage);
  return usage;
}

/// The program that took more in the two parts together; parts without one do not count.
void join_neighbours(const EpochUsage& first, const EpochUsage& second, EpochUsage& both) {
  std::map<std::string, double> taken_s;
  double seen_s = 0;
  for (const auto* part : {&first, &second}) {
    if (!part->other_program.view().empty() && part->other_cpu_s > 0) {
      taken_s[part->other_program.str()] += part->other_program_share * part->other_cpu_s;
      seen_s += part->other_cpu_s;
    }
  }
  if (seen_s > 0) {
    const auto most =
        std::ranges::max_element(taken_s, {}, [](const auto& row) { return row.second; });
    both.other_program = most->first;
    both.other_program_share = most->second / seen_s;
  }
}

/// A part that lacks it has the rate of the other one, if that is the longer one.
double joined_wait_s(const EpochUsage& first, const EpochUsage& second) {
  const double sum_s = first.cpu_wait_s + second.cpu_wait_s;
  const auto& longer = first.covered_s >= second.covered_s ? first : second;
  return std::isnan(sum_s)
             ? longer.cpu_wait_s * (first.covered_s + second.covered_s) / longer.covered_s
             : sum_s;
}

}  // namespace

std::vector<EpochUsage> usage_of(const TimeSpan& span, std::span<const record::Machine> machines,
                                 std::span<const Telemetry> samples,
                                 std::span<const GpuTelemetry> gpus) {
  std::vector<EpochUsage> rows;
  std::set<std::string> counted;  // machines whose energy is in a row already
  for (const auto& group : groups_of(span, machines, samples, gpus)) {
    rows.push_back(usage_of_group(group, span));
    if (counted.insert(group.machine).second || group.machine.empty()) {
      rows.back().cpu_energy_j = cpu_energy_j(group.ranks.front(), span);
    }
  }
  return rows;
}

EpochUsage joined(const EpochUsage& first, const EpochUsage& second) {
  EpochUsage both = second;
  both.start_s = first.start_s;
  both.duration_s = first.duration_s + second.duration_s;
  for (const auto part :
       {&EpochUsage::covered_s, &EpochUsage::own_cpu_s, &EpochUsage::other_cpu_s,
        &EpochUsage::steal_s, &EpochUsage::throttled_s, &EpochUsage::stopped_s,
        &EpochUsage::memory_stall_s, &EpochUsage::io_stall_s, &EpochUsage::major_faults,
        &EpochUsage::memory_limit_hits, &EpochUsage::cpu_energy_j, &EpochUsage::gpu_energy_j,
        &EpochUsage::gpu_hot_s}) {
    both.*part = first.*part + second.*part;
  }
  for (const auto mean :
       {&EpochUsage::node_use, &EpochUsage::gpu_use, &EpochUsage::gpu_other_use}) {
    both.*mean = (first.*mean * first.covered_s + second.*mean * second.covered_s) / both.covered_s;
  }
  both.cpu_wait_s = joined_wait_s(first, second);
  both.resident_bytes = std::fmax(first.resident_bytes, second.resident_bytes);
  join_neighbours(first, second, both);
  return both;
}

}  // namespace epochcast::telemetry
