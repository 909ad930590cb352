// The checkpoint files of a point. A file has the name of the record of the attempt that wrote it,
// so one rename updates both facts, and a kill cannot make them disagree.
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

/// The newest checkpoint in the folder; nothing if there is none.
std::optional<CheckpointFile> find_checkpoint(const std::filesystem::path& folder);

/// The weights of the point's best evaluation in any attempt.
std::filesystem::path best_weights(const std::filesystem::path& folder);

/// Where the attempt writes a checkpoint before it is valid: find_checkpoint() ignores it.
std::filesystem::path staged(const CheckpointFile& checkpoint);

/// Makes the staged checkpoint the one to resume from, and removes those of earlier attempts. Call
/// it after the record holds all steps before it: a run that resumes from it does not measure them
/// again. Throws RunError.
void publish(const std::filesystem::path& folder, const CheckpointFile& checkpoint);

}  // namespace epochcast::train
