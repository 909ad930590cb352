// The queue of a site as a model: what runs and waits there now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/queue/queue_model.hpp"
#include "src/slurm/cluster_state.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::queue {

/// A request in the terms of the model, or why it cannot be modelled.
struct ModelRequest {
  std::string user;
  std::vector<std::string> partitions;
  std::int64_t nodes = 1;
  Resources total;  ///< Of the whole job.
  std::string gpu;
  std::string features;
  bool exclusive = false;
  double limit_s = never_s;
  std::string name = {};
};

struct QueueNow {
  QueueModel model;
  std::vector<slurm::NodeState> nodes;  ///< Those of model.nodes, with their names.
  std::vector<std::string> partitions;  ///< Names, in the order of `tiers`.
  std::vector<std::int64_t> tiers;
  std::vector<std::string> notes;  ///< What is not in the model, and of how many jobs.
};

/// Takes running and waiting jobs of all users from `state`. CPUs that a node has given to jobs
/// which this user may not see stay taken.
QueueNow queue_now(const slurm::ClusterState& state,
                   const std::vector<slurm::Partition>& partitions);

/// A job that waits: where it may run, and what it takes of each node. std::nullopt if no set of
/// nodes can ever hold it, as far as the model knows; without nodes if the queue has none, as where
/// a site does not show them.
std::optional<ModelJob> model_job(const QueueNow& queue, const ModelRequest& request);

/// What a job of the queue asks for.
ModelRequest request_of(const slurm::QueuedJob& job);

}  // namespace epochcast::queue
