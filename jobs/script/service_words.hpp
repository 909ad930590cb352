// What the script of a point says about two programs: epochcast-load and, as the command that it
// starts or beside it, `epochcast-train serve`; or a stream, with its producer beside it.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

/// Whether the load has a task of its own, so that it takes no CPU from the service: an allocation
/// of two tasks.
bool has_own_load_task(const AllocationProfile& site);

/// Throws Error "allocation 'x' has 4 tasks, expected ..." unless there are one or two: for points
/// of two programs.
void require_one_or_two_tasks(const AllocationProfile& site);

/// The options of epochcast-load that say what is sent, and those that put the other parameters of
/// the point into the record: arguments that the shell reads.
std::vector<std::string> load_words(const Point& point);

/// "serve" and the options of the service.
std::vector<std::string> service_words(const Point& point);

/// The arguments of the service that say where it listens and whom it answers, and those of the
/// load that say where to find it. "$work" is the folder of the point, which all nodes see.
std::vector<std::string> listen_words(const AllocationProfile& site);
std::vector<std::string> target_words();

/// Lines before the service: the folder of the point, and a token in it.
std::string service_preparation();

/// Lines that wait until a service with a task of its own is ready, or has ended; "${patience[@]}"
/// are then further arguments of the load.
std::string wait_for_service();

/// Lines after the load: a service with a task of its own drains, and the script waits for it; the
/// token goes.
std::string stop_service(const AllocationProfile& site);

/// The arguments of epochcast-stream: what it releases, into the folder of the point, which all
/// nodes see. The items are those of dataset.path; without it, random pictures.
std::vector<std::string> producer_words(const Point& point);

/// The arguments of epochcast-train besides those of every record.
std::vector<std::string> consumer_words(const Point& point);

/// Lines that stop the consumer if the producer fails: it would wait for the rest.
std::string watch_producer();

/// Lines after the consumer: the producer ends too. A job that starts again goes on with both.
std::string stop_producer(const AllocationProfile& site);

/// What the two steps need besides the allocation.
struct TwoSteps {
  bool slurm = true;                      ///< The script is one for Slurm.
  bool gpu_of_launch = false;             ///< The second task has the GPUs, else the first.
  std::vector<std::string> options = {};  ///< Of srun, for both.
};

/// Lines that set the arrays `beside` and `launch`: the command lines that start the first and the
/// second task of an allocation of two, each with its own CPUs, the second on the last node.
/// Without Slurm both are empty, and the programs share the CPUs of the job.
std::string step_launchers(const AllocationProfile& site, const TwoSteps& steps);

}  // namespace epochcast::jobs
