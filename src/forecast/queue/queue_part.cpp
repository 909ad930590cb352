#include "src/forecast/queue/queue_part.hpp"

#include <algorithm>

namespace epochcast::queue {
namespace {

class Part {
 public:
  Part(const QueueModel& model, const ModelJob& job)
      : model_(model), inside_(model.nodes.size(), false) {
    add(job.partition);
    while (grow(model.waiting) || grow(model.arrivals)) {
    }
  }

  QueuePart take(const ModelJob& job) {
    QueuePart part{.model = {.nodes = {}, .running = {}, .waiting = {}, .arrivals = {}},
                   .job = job};
    new_place_.resize(inside_.size());
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      if (inside_[i]) {
        new_place_[i] = part.model.nodes.size();
        part.model.nodes.push_back(model_.nodes[i]);
      }
    }
    part.model.backfill_interval_s = model_.backfill_interval_s;
    part.model.clock_s = model_.clock_s;
    part.model.running = renumbered(model_.running, &ModelJob::nodes);
    part.model.waiting = renumbered(model_.waiting, &ModelJob::partition);
    part.model.arrivals = renumbered(model_.arrivals, &ModelJob::partition);
    const auto all = static_cast<double>(std::max<std::size_t>(1, model_.arrivals.size()));
    part.model.arrivals_per_s =
        model_.arrivals_per_s * static_cast<double>(part.model.arrivals.size()) / all;
    part.model.elsewhere = some_elsewhere();
    part.job = renumbered(job);
    return part;
  }

 private:
  bool touches(const std::vector<std::size_t>& nodes) const {
    return std::ranges::any_of(nodes, [&](std::size_t node) { return inside_[node]; });
  }

  bool add(const std::vector<std::size_t>& nodes) {
    bool grew = false;
    for (const auto node : nodes) {
      grew = grew || !inside_[node];
      inside_[node] = true;
    }
    return grew;
  }

  bool grow(const std::vector<ModelJob>& jobs) {
    bool grew = false;
    for (const auto& job : jobs) {
      grew = (touches(job.partition) && add(job.partition)) || grew;
    }
    return grew;
  }

  /// Evenly chosen ones of many: only how closely their ends follow each other counts.
  std::vector<ModelJob> some_elsewhere() const {
    constexpr std::size_t most = 100;
    std::vector<ModelJob> jobs;
    for (const auto& running : model_.running) {
      if (!touches(running.nodes)) {
        jobs.push_back(running);
        jobs.back().nodes.clear();
      }
    }
    std::vector<ModelJob> some;
    for (std::size_t i = 0; i < std::min(most, jobs.size()); ++i) {
      some.push_back(jobs[i * jobs.size() / std::min(most, jobs.size())]);
    }
    return some;
  }

  ModelJob renumbered(ModelJob job) const {
    for (auto* nodes : {&job.nodes, &job.partition}) {
      std::erase_if(*nodes, [&](std::size_t node) { return !inside_[node]; });
      for (auto& node : *nodes) {
        node = new_place_[node];
      }
    }
    return job;
  }

  std::vector<ModelJob> renumbered(const std::vector<ModelJob>& jobs,
                                   std::vector<std::size_t> ModelJob::*where) const {
    std::vector<ModelJob> kept;
    for (const auto& job : jobs) {
      if (touches(job.*where)) {
        kept.push_back(renumbered(job));
      }
    }
    return kept;
  }

  const QueueModel& model_;
  std::vector<bool> inside_;
  std::vector<std::size_t> new_place_;
};

}  // namespace

QueuePart part_of_queue(const QueueModel& model, const ModelJob& job) {
  return Part(model, job).take(job);
}

}  // namespace epochcast::queue
