// The checkpoint files of a point. A file is named after the record of the attempt that wrote it,
// so one rename updates both facts, and they agree even after a kill.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

struct CheckpointFile {
  std::filesystem::path path;
  std::string record;  ///< File name of the record of the attempt that wrote it.
};

/// The checkpoint of the attempt with this record: FOLDER/<record without .h5>.checkpoint.
CheckpointFile checkpoint_of(const std::filesystem::path& folder,
                             const std::filesystem::path& record);

/// The newest checkpoint in the folder; std::nullopt if there is none.
std::optional<CheckpointFile> find_checkpoint(const std::filesystem::path& folder);

/// The path of the weights of the best evaluation in any attempt at the point.
std::filesystem::path best_weights(const std::filesystem::path& folder);

/// The path to which the attempt writes a checkpoint before it is valid; find_checkpoint() ignores
/// it.
std::filesystem::path staged(const CheckpointFile& checkpoint);

/// Makes the staged checkpoint the one to resume from, and removes the checkpoints of earlier
/// attempts. Call it only after the record contains all steps before the checkpoint: a run that
/// resumes from it does not measure them again. Throws RunError.
void publish(const std::filesystem::path& folder, const CheckpointFile& checkpoint);

/// The files that a training writes: checkpoints to resume from, and the weights of its best
/// evaluation.
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
