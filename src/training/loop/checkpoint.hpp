// The checkpoint files of a point. A file is named after the record of the attempt that wrote it,
// so one rename updates both facts, and they agree even after a kill.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

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

}  // namespace epochcast::train
