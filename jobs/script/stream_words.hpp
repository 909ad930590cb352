// What the script of a point says about a stream: `epochcast-train stream`, which answers it, and
// beside it the producer.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

/// The arguments of epochcast-stream: what it releases, into the folder of the point, which all
/// nodes see. The items are those of dataset.path; without it, random pictures.
std::vector<std::string> producer_words(const Point& point);

/// The arguments of epochcast-train besides those of every record.
std::vector<std::string> consumer_words(const Point& point);

/// Lines that stop the consumer if the producer fails: it would wait for the rest.
std::string watch_producer();

/// Lines after the consumer: the producer ends too. A job that starts again goes on with both.
std::string stop_producer(const AllocationProfile& site);

}  // namespace epochcast::jobs
