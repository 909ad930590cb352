#include "src/training/loop/checkpoint.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast::train {
namespace {

namespace fs = std::filesystem;
constexpr const char* extension = ".checkpoint";

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code no_folder;
  for (const auto& entry : fs::directory_iterator(folder, no_folder)) {
    if (entry.path().extension() == extension) {
      paths.push_back(entry.path());
    }
  }
  return paths;
}

}  // namespace

CheckpointFile checkpoint_of(const fs::path& folder, const fs::path& record) {
  return {folder / (record.stem().string() + extension), record.filename().string()};
}

std::optional<CheckpointFile> find_checkpoint(const fs::path& folder) {
  std::optional<fs::path> newest;
  for (const auto& path : checkpoints_in(folder)) {
    if (!newest || fs::last_write_time(path) > fs::last_write_time(*newest)) {
      newest = path;
    }
  }
  if (!newest) {
    return std::nullopt;
  }
  return CheckpointFile{*newest, newest->stem().string() + ".h5"};
}

fs::path best_weights(const fs::path& folder) {
  return folder / "best.safetensors";
}

fs::path staged(const CheckpointFile& checkpoint) {
  auto path = checkpoint.path;
  return path += ".staged";
}

void publish(const fs::path& folder, const CheckpointFile& checkpoint) {
  std::error_code error;
  fs::rename(staged(checkpoint), checkpoint.path, error);
  if (error) {
    throw RunError(fmt::format("cannot publish the checkpoint {}: {}", checkpoint.path.string(),
                               error.message()));
  }
  for (const auto& path : checkpoints_in(folder)) {
    if (path != checkpoint.path) {
      std::error_code gone_already;
      fs::remove(path, gone_already);
    }
  }
}

bool SavedStates::save(const Position& position) {
  const bool is_saved = position.epoch == saved_.epoch && position.iteration == saved_.iteration;
  if (is_saved || workload_.checkpoints == nullptr) {
    return false;
  }
  workload_.checkpoints->save(staged(checkpoint_));
  saved_ = position;
  is_staged_ = true;
  return true;
}

void SavedStates::publish() {
  if (std::exchange(is_staged_, false) && team_.is_first()) {
    epochcast::train::publish(folder_, checkpoint_);
  }
}

void SavedStates::save_best_weights() {
  if (workload_.evaluator->is_best() && team_.is_first()) {
    workload_.evaluator->save_weights(best_weights(folder_));
  }
}

}  // namespace epochcast::train
