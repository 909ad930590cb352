#include "src/forecast/efficiency/job_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::efficiency {
namespace {

constexpr double hour_s = 3600;
constexpr double minute_s = 60;

double rounded_up(double value, double step) {
  return step * std::ceil(value / step);
}

double memory_to_ask(double bytes) {
  constexpr double fine = 128 * mebibyte;
  return rounded_up(bytes, bytes > 4 * gibibyte ? gibibyte : fine);
}

std::optional<double> hours(const Use& of, const JobUse& job) {
  return of.asked && job.time_s.used ? std::optional(*of.asked * *job.time_s.used / hour_s)
                                     : std::nullopt;
}

std::optional<double> lost_hours(const Use& of, const JobUse& job) {
  const auto all = hours(of, job);
  if (!all || job.is_in_vain) {
    return all;
  }
  const auto share = of.share();
  return share ? std::optional(*all * std::max(0.0, 1 - *share)) : std::nullopt;
}

/// A signal before the limit and Slurm's check of limits need minutes; a shorter limit that was
/// enough stays.
void judge_time(JobUse& job) {
  constexpr double least_s = 5 * minute_s;
  if (job.is_complete && job.time_s.used) {
    job.time_s.next = std::max(std::min(least_s, job.time_s.asked.value_or(least_s)),
                               rounded_up((1 + margin) * *job.time_s.used, minute_s));
  }
}

/// Whether what it used says what the next run needs: one that failed may have failed early.
bool tells_of_next(const JobUse& job) {
  return job.has_ended && !job.is_in_vain;
}

/// More than it had is not advised: threads that wait for a CPU do not show.
void judge_cpus(JobUse& job) {
  if (!tells_of_next(job) || !job.task_cpus) {
    return;
  }
  const double next = std::max(1.0, std::ceil(*job.task_cpus)) * static_cast<double>(job.tasks);
  job.cpus.next = job.cpus.asked ? std::min(*job.cpus.asked, next) : next;
}

void judge_memory(JobUse& job) {
  auto& memory = job.memory_bytes;
  if (job.cause == run::FailureCause::out_of_memory && memory.asked) {
    memory.next = memory_to_ask(after_kill * std::max(*memory.asked, memory.used.value_or(0)));
  } else if (tells_of_next(job) && memory.used && memory.unknown.empty()) {
    memory.next = memory_to_ask((1 + margin) * *memory.used);
  }
}

void judge_gpus(JobUse& job) {
  if (tells_of_next(job) && job.gpus_used) {
    job.gpus.next = job.gpus_used;
  }
}

std::string limit_of_end(const JobUse& job) {
  switch (job.cause) {
    case run::FailureCause::out_of_memory:
      return "memory: it was ended for lack of it";
    case run::FailureCause::time_limit:
      return "its time limit";
    case run::FailureCause::node_failure:
      return "a node that failed";
    case run::FailureCause::cancelled:
    case run::FailureCause::preempted:
      return "its end from outside: cancelled or preempted";
    default:
      return job.is_in_vain ? "an error of the program" : "";
  }
}

/// What kept a run from being faster, as far as it was measured.
std::string bottleneck(const JobUse& job) {
  const auto gpus = job.gpus.share();
  const auto cpus = job.cpus.share();
  if (gpus && job.gpus_used == 0) {
    return "the program: nothing ran on the GPU";
  }
  if (job.data_wait && *job.data_wait >= waiting_share) {
    return "data loading: " + percent(*job.data_wait) + " of the time of the epochs";
  }
  const std::string waits =
      gpus && *gpus < idle_share ? "; the GPU was busy " + percent(*gpus) + " of the time" : "";
  if (cpus && *cpus >= busy_share) {
    return "its CPUs: nearly all were busy" + waits;
  }
  if (gpus && *gpus >= busy_share) {
    return "the GPU";
  }
  if (!waits.empty()) {
    return "what the GPU waits for" + waits;
  }
  return cpus ? "nothing that was measured" : "";
}

}  // namespace

std::optional<double> Use::share() const {
  return used && asked && *asked > 0 ? std::optional(*used / *asked) : std::nullopt;
}

std::optional<double> JobUse::cpu_hours() const {
  return hours(cpus, *this);
}
std::optional<double> JobUse::gpu_hours() const {
  return hours(gpus, *this);
}
std::optional<double> JobUse::lost_cpu_hours() const {
  return lost_hours(cpus, *this);
}
std::optional<double> JobUse::lost_gpu_hours() const {
  return lost_hours(gpus, *this);
}

void judge(JobUse& use) {
  for (auto* of : {&use.time_s, &use.cpus, &use.memory_bytes, &use.gpus}) {
    of->next.reset();
  }
  judge_time(use);
  judge_cpus(use);
  judge_memory(use);
  judge_gpus(use);
  use.limited_by = limit_of_end(use);
  if (use.limited_by.empty() && use.has_ended) {
    use.limited_by = bottleneck(use);
  }
}

bool asks_for_another_size(const JobUse& use) {
  const auto half_is_enough = [](const Use& of) {
    return of.asked && of.next && *of.asked > 0 && 2 * *of.next <= *of.asked;
  };
  return use.cause == run::FailureCause::out_of_memory || half_is_enough(use.cpus) ||
         half_is_enough(use.memory_bytes) || half_is_enough(use.gpus);
}

}  // namespace epochcast::efficiency
