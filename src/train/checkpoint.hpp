// Where a point's checkpoints lie and which attempt each is of. The file is named like the record
// of the attempt that wrote it, so one rename says both, and a kill between two files cannot make
// them disagree.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace epochcast::train {

struct CheckpointFile {
  std::filesystem::path path;
  std::string record;  ///< File name of the record of the attempt that wrote it.
};

/// Where the attempt with this record saves: FOLDER/<record without .h5>.checkpoint.
CheckpointFile checkpoint_of(const std::filesystem::path& folder,
                             const std::filesystem::path& record);

/// The newest checkpoint in the folder, if there is one.
std::optional<CheckpointFile> find_checkpoint(const std::filesystem::path& folder);

/// The weights of a point's best evaluation, whichever attempt it was in.
std::filesystem::path best_weights(const std::filesystem::path& folder);

/// Where the attempt writes a checkpoint that does not count yet: find_checkpoint() passes it over.
std::filesystem::path staged(const CheckpointFile& checkpoint);

/// Makes the staged checkpoint the one to go on from, and removes those of earlier attempts. To be
/// called once the record holds all that led to it: whoever goes on from it measures none of that
/// again. Throws RunError.
void publish(const std::filesystem::path& folder, const CheckpointFile& checkpoint);

}  // namespace epochcast::train
