// The files that a training writes: checkpoints to resume from, and the weights of its best
// evaluation.
#pragma once

#include <filesystem>

#include "src/training/loop/checkpoint.hpp"
#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

class SavedStates {
 public:
  /// `from`: the position of the last checkpoint. `workload` and `team` must outlive this object.
  SavedStates(const WorkloadParts& workload, Team& team, std::filesystem::path folder,
              CheckpointFile checkpoint, Position from)
      : workload_(workload),
        team_(team),
        folder_(std::move(folder)),
        checkpoint_(std::move(checkpoint)),
        saved_(from) {}

  /// Writes a checkpoint of `position`. Returns false if that position is saved already or the
  /// workload has no checkpoints. The checkpoint becomes valid with publish(), after the rows of
  /// the steps before it are flushed.
  bool save(const Position& position);
  void publish();

  /// Called after an evaluation: saves the weights if the evaluation was the best so far.
  void save_best_weights();

 private:
  const WorkloadParts& workload_;
  Team& team_;
  std::filesystem::path folder_;
  CheckpointFile checkpoint_;
  Position saved_;
  bool is_staged_ = false;  ///< A checkpoint is written but not published.
};

}  // namespace epochcast::train
