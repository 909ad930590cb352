// How many samples an epoch has, how batches form updates of the weights, and the learning rate of
// each update.
#pragma once

#include <cstdint>

#include "src/record/run/run_config.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

/// The role of a batch in its update.
struct BatchRole {
  bool first = true;
  bool last = true;
  std::int64_t batches = 1;  ///< Number of batches in the update.
};

class UpdatePlan {
 public:
  /// Plans updates of `accumulate` batches. The remaining batches of an epoch form an update of
  /// their own, averaged over these batches, as in transformers' Trainer since 4.46 (earlier
  /// versions carried them over to the next epoch). With last_update=drop no batches remain: this
  /// gives the 97 updates of 391 batches that Trainer 4.38 did in a single epoch.
  UpdatePlan(const run::RunConfig& config, std::int64_t iterations_per_epoch);

  std::int64_t in_epoch() const { return in_epoch_; }
  std::int64_t in_run() const { return in_epoch_ * epochs_; }

  /// The number of completed updates of the run at `position`.
  std::int64_t before(const Position& position) const;

  /// The role of the next batch at `position`.
  BatchRole role(const Position& position) const;

  /// The factor on the learning rate in an update, counted from 0 over the run. It matches
  /// get_linear_schedule_with_warmup and get_constant_schedule_with_warmup of transformers.
  double learning_rate_factor(std::int64_t update) const;

  /// Whether an evaluation within the epoch is due at `position`: every evaluate_every updates of
  /// the run, but not after the last update of an epoch, because an evaluation always follows it.
  bool evaluation_is_due(const Position& position) const;

 private:
  std::int64_t iterations_per_epoch_;
  std::int64_t batches_;
  std::int64_t in_epoch_;
  std::int64_t epochs_;
  std::int64_t warmup_;
  std::int64_t evaluate_every_;
  bool decreases_;
};

/// The factor on the learning rate in `epoch` (from 0) if `processes` train on each node. It
/// matches LinearLR of PyTorch with start_factor = 1 / processes and total_iters = warmup_epochs,
/// stepped once per epoch.
double warmup_factor(const run::RunConfig& config, std::int64_t epoch, std::int64_t processes);

/// The number of samples in one pass, of training or evaluation, over `size` samples: all, or with
/// last_batch=drop only whole batches.
std::int64_t samples_of_pass(const run::RunConfig& config, std::int64_t size);

/// The same for a training epoch: with last_update=drop, only the batches that fill whole updates.
std::int64_t samples_of_training(const run::RunConfig& config, std::int64_t size);

}  // namespace epochcast::train
