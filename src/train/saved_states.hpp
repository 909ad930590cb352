// The files that a training leaves of its state: checkpoints to go on from, and the weights of its
// best evaluation.
#pragma once

#include "src/train/checkpoint.hpp"
#include "src/train/team.hpp"
#include "src/train/workload.hpp"

namespace epochcast::train {

class SavedStates {
 public:
  /// `from`: what a checkpoint exists of at the start. `workload` and `team` outlive this.
  SavedStates(Workload& workload, Team& team, std::filesystem::path folder,
              CheckpointFile checkpoint, Position from)
      : workload_(workload),
        team_(team),
        folder_(std::move(folder)),
        checkpoint_(std::move(checkpoint)),
        saved_(from) {}

  /// Saves what training on from `place` needs; false if that is saved already, or nothing. It
  /// counts once the rows that led to it are flushed: publish().
  bool save(const Position& place);
  void publish();

  /// Behind an evaluation: where it was the best so far, keeps the weights.
  void keep_best();

 private:
  Workload& workload_;
  Team& team_;
  std::filesystem::path folder_;
  CheckpointFile checkpoint_;
  Position saved_;
  bool is_staged_ = false;  ///< A checkpoint is written and not yet published.
};

}  // namespace epochcast::train
