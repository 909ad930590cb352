// How the batches of a run make updates of the weights, and the learning rate of each.
#pragma once

#include <cstdint>

#include "src/run/run_config.hpp"
#include "src/train/workload.hpp"

namespace epochcast::train {

/// A batch among those that make one update.
struct BatchRole {
  bool first = true;
  bool last = true;
  std::int64_t batches = 1;  ///< Of the update.
};

class UpdatePlan {
 public:
  /// Updates of `accumulate` batches; what remains at the end of an epoch makes one of its own, its
  /// batches averaged, as transformers' Trainer has it since 4.46 (before, it carried them over
  /// into the next epoch). last_update=drop leaves no remainder: the 97 updates of 391 batches that
  /// Trainer 4.38 made of a single epoch.
  UpdatePlan(const run::RunConfig& config, std::int64_t iterations_per_epoch);

  std::int64_t in_epoch() const { return in_epoch_; }
  std::int64_t in_run() const { return in_epoch_ * epochs_; }

  /// Updates of the run that are done at `place`.
  std::int64_t before(const Position& place) const;

  /// Of the batch that comes next at `place`.
  BatchRole role(const Position& place) const;

  /// The factor on the learning rate in an update, counted from 0 over the run. As transformers'
  /// get_linear_schedule_with_warmup and get_constant_schedule_with_warmup.
  double learning_rate_factor(std::int64_t update) const;

  /// Whether an evaluation within the epoch is due at `place`: every evaluate_every updates of the
  /// run, but not behind the last of an epoch, where one comes in any case.
  bool evaluation_is_due(const Position& place) const;

 private:
  std::int64_t iterations_per_epoch_;
  std::int64_t batches_;
  std::int64_t in_epoch_;
  std::int64_t epochs_;
  std::int64_t warmup_;
  std::int64_t evaluate_every_;
  bool falls_;
};

/// The factor on the learning rate in `epoch` (from 0) where `processes` train on each node. As
/// PyTorch's LinearLR with start_factor = 1 / processes and total_iters = warmup_epochs, stepped
/// once an epoch.
double warmup_factor(const run::RunConfig& config, std::int64_t epoch, std::int64_t processes);

}  // namespace epochcast::train
