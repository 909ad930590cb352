#include "src/training/loop/saved_states.hpp"

#include <utility>

namespace epochcast::train {

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
