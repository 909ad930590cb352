// The part of a queue that decides when a job starts: large clusters have many that do not.
#pragma once

#include "src/forecast/queue/queue_model.hpp"

namespace epochcast::queue {

struct QueuePart {
  QueueModel model;
  ModelJob job;
};

/// The nodes of the job's partitions, of the partitions that share nodes with those, and so on; and
/// the jobs that run there, or may. Nodes are renumbered.
QueuePart part_of_queue(const QueueModel& model, const ModelJob& job);

}  // namespace epochcast::queue
