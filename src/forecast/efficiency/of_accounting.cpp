// What the accounting says of the use of a job.
#include <cmath>

#include "src/base/core/quantity.hpp"
#include "src/forecast/efficiency/job_use.hpp"

namespace epochcast::efficiency {
namespace {

using slurm::AccountedJob;
using slurm::JobState;

run::FailureCause cause_of(JobState state) {
  switch (state) {
    case JobState::timeout:
    case JobState::deadline:
      return run::FailureCause::time_limit;
    case JobState::out_of_memory:
      return run::FailureCause::out_of_memory;
    case JobState::cancelled:
      return run::FailureCause::cancelled;
    case JobState::preempted:
      return run::FailureCause::preempted;
    case JobState::node_fail:
    case JobState::boot_fail:
      return run::FailureCause::node_failure;
    case JobState::completed:
      return run::FailureCause::none;
    default:
      return run::FailureCause::other;
  }
}

/// A job that was cut off or cancelled may have saved what it had.
bool is_in_vain(JobState state) {
  return state == JobState::failed || state == JobState::out_of_memory ||
         state == JobState::node_fail || state == JobState::boot_fail ||
         state == JobState::launch_failed;
}

std::optional<double> above_0(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

void take_memory(const AccountedJob& job, JobUse& use) {
  auto& memory = use.memory_bytes;
  const auto of_node = mebibyte / static_cast<double>(use.nodes);
  if (job.memory_mib > 0) {
    memory.asked = static_cast<double>(job.memory_mib) * of_node;
  }
  if (std::isnan(job.peak_memory_mib)) {
    memory.unknown = "the accounting has no MaxRSS of its steps, or not their NTasks";
    return;
  }
  memory.used = job.peak_memory_mib * of_node;
  if (use.nodes > 1) {
    memory.unknown = "the accounting has the sum of the nodes, not the most of one";
  }
}

void take_gpus(const AccountedJob& job, JobUse& use) {
  if (job.gpus == 0) {
    return;
  }
  if (!std::isnan(job.gpu_memory_mib)) {
    use.gpu_memory_bytes.used = job.gpu_memory_mib * mebibyte;
  }
  if (job.gpu_peak_percent == 0) {
    use.gpus.used = use.gpus_used = 0;
  } else {
    use.gpus.unknown = std::isnan(job.gpu_peak_percent)
                           ? "the site does not account the use of GPUs"
                           : "the accounting has the most use of GPUs, not the mean";
  }
}

}  // namespace

JobUse use_of(const AccountedJob& job) {
  JobUse use{.state = std::string(to_text(job.state)),
             .is_complete = job.state == JobState::completed,
             .is_in_vain = is_in_vain(job.state),
             .cause = cause_of(job.state),
             .nodes = std::max<std::int64_t>(1, job.nodes)};
  use.time_s.used = job.elapsed_s;
  use.time_s.asked = above_0(job.limit_s);
  use.cpus.asked = above_0(static_cast<double>(job.cpus));
  if (!std::isnan(job.total_cpu_s) && job.elapsed_s > 0) {
    use.cpus.used = job.total_cpu_s / job.elapsed_s;
    use.cpus.unknown = "the accounting has the mean, not the most at once";
  } else {
    use.cpus.unknown = "the accounting has no TotalCPU, or the job took less than a second";
  }
  use.gpus.asked = static_cast<double>(job.gpus);
  take_memory(job, use);
  take_gpus(job, use);
  judge(use);
  return use;
}

}  // namespace epochcast::efficiency
