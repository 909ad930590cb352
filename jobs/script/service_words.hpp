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

/// The arguments of epochcast-stream: what it releases, into the folder of the point, which all
/// nodes see. The items are those of dataset.path; without it, random pictures.
std::vector<std::string> producer_words(const Point& point);

/// The arguments of epochcast-train besides those of every record.
std::vector<std::string> consumer_words(const Point& point);

}  // namespace epochcast::jobs
