// A job of the accounting, as `sacct` prints it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "src/base/core/fields.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::slurm {

/// One life of a job: a job that was requeued has several. A heterogeneous job is one job, with the
/// resources of its components added up. Texts are valid UTF-8 in one line (printable()).
struct AccountedJob {
  std::string cluster;
  std::string job;
  std::int64_t restarts = 0;
  std::string user;
  std::string account;
  std::string job_name;
  std::string work_dir;
  std::string script;
  std::string partition;
  std::int64_t nodes = 0;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::string gpu;
  std::int64_t memory_mib = 0;
  std::string node_list;
  std::string submitted_at;
  std::string eligible_at;
  std::string started_at;
  std::string ended_at;
  double limit_s = std::numeric_limits<double>::quiet_NaN();
  double elapsed_s = 0;
  JobState state = JobState::unknown;
  std::string cause;
  double total_cpu_s = std::numeric_limits<double>::quiet_NaN();
  double peak_memory_mib = std::numeric_limits<double>::quiet_NaN();
  double gpu_peak_percent = std::numeric_limits<double>::quiet_NaN();
  double gpu_memory_mib = std::numeric_limits<double>::quiet_NaN();
};

constexpr auto fields_of(Tag<AccountedJob>) {
  return FieldTable{
      Field{"cluster", "1", "Name of the cluster", &AccountedJob::cluster},
      Field{"job", "1", "123, or 123_4 for element 4 of array 123", &AccountedJob::job},
      Field{"restarts", "1", "Number of earlier lives of a job that was requeued",
            &AccountedJob::restarts},
      Field{"user", "1", "User of the job", &AccountedJob::user},
      Field{"account", "1", "Account of the job", &AccountedJob::account},
      Field{"job_name", "1", "Name of the job", &AccountedJob::job_name},
      Field{"work_dir", "1", "Folder in which the job started", &AccountedJob::work_dir},
      Field{"script", "1",
            "Script and its arguments: the command of submission without the options of sbatch",
            &AccountedJob::script},
      Field{"partition", "1", "Partition of the job", &AccountedJob::partition},
      Field{"nodes", "1", "Nodes", &AccountedJob::nodes},
      Field{"cpus", "1", "CPUs", &AccountedJob::cpus},
      Field{"gpus", "1", "GPUs", &AccountedJob::gpus},
      Field{"gpu", "1", "Type of the GPUs; empty: not known", &AccountedJob::gpu},
      Field{"memory_mib", "MiB", "Memory of all nodes; 0: not known", &AccountedJob::memory_mib},
      Field{"node_list", "1", "Nodes it ran on, in the notation of Slurm",
            &AccountedJob::node_list},
      Field{"submitted_at", "1", "Time of submission, as the accounting prints it",
            &AccountedJob::submitted_at},
      Field{"eligible_at", "1",
            "Time from which it might start: after its dependencies and --begin",
            &AccountedJob::eligible_at},
      Field{"started_at", "1", "Time of start", &AccountedJob::started_at},
      Field{"ended_at", "1", "Time of end", &AccountedJob::ended_at},
      Field{"limit_s", "s", "Time limit; 0: none; empty: not known", &AccountedJob::limit_s},
      Field{"elapsed_s", "s", "Run time", &AccountedJob::elapsed_s},
      Field{"state", "1", "State in which the job ended", &AccountedJob::state},
      Field{"cause", "1", "Who cancelled it, or its exit code if that is not 0:0",
            &AccountedJob::cause},
      Field{"total_cpu_s", "s", "CPU time of all its processes; empty: not known",
            &AccountedJob::total_cpu_s},
      Field{"peak_memory_mib", "MiB",
            "Most resident memory of its steps, all nodes and tasks together; empty: not known",
            &AccountedJob::peak_memory_mib},
      Field{"gpu_peak_percent", "%", "Most use of its GPUs in a sample of Slurm; empty: not known",
            &AccountedJob::gpu_peak_percent},
      Field{"gpu_memory_mib", "MiB", "Most GPU memory of a task; empty: not known",
            &AccountedJob::gpu_memory_mib},
  };
}

}  // namespace epochcast::slurm
