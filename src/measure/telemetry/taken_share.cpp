#include "src/measure/telemetry/taken_share.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::telemetry {
namespace {

using record::EpochUsage;

constexpr double tick_error_s = 0.03;  ///< A CPU.

std::optional<double> measured(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// What the CPU time of others beyond the CPUs that the run leaves free could have taken: for
/// records that do not tell how long the run waited.
double could_have_taken(const EpochUsage& usage) {
  const auto cpus = static_cast<double>(usage.cpus);
  const auto threads = static_cast<double>(std::clamp<std::int64_t>(usage.threads, 1, usage.cpus));
  const double spare_s = (cpus - threads) * usage.covered_s + cpus * tick_error_s;
  return std::max(0.0, usage.other_cpu_s - spare_s) / (threads * usage.covered_s);
}

/// Threads of the run also wait for each other: so they took at most what they used.
double taken_by_others(const EpochUsage& usage) {
  if (std::isnan(usage.cpu_wait_s)) {
    return could_have_taken(usage);
  }
  const double used_s = usage.other_cpu_s - static_cast<double>(usage.cpus) * tick_error_s;
  return std::max(0.0, std::min(usage.cpu_wait_s, used_s)) / usage.covered_s;
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

}  // namespace

double cpu_time_s(const EpochUsage& usage) {
  return static_cast<double>(usage.cpus) * usage.covered_s;
}

std::optional<double> taken_share(const EpochUsage& usage, Cause cause) {
  constexpr double enough = 0.5;
  const bool can_judge =
      usage.covered_s > 0 && usage.covered_s >= enough * usage.duration_s && usage.cpus > 0;
  return can_judge ? share_of(usage, cause) : std::nullopt;
}

std::optional<double> most_taken_share(const EpochUsage& usage) {
  std::optional<double> most;
  for (const auto cause : all_causes) {
    const auto share = taken_share(usage, cause);
    if (share && (!most || *share > *most)) {
      most = share;
    }
  }
  return most;
}

}  // namespace epochcast::telemetry
