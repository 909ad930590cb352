#include "src/train/saved_states.hpp"

#include <utility>

namespace epochcast::train {

bool SavedStates::save(const Position& place) {
  const bool is_saved = place.epoch == saved_.epoch && place.iteration == saved_.iteration;
  if (is_saved || !workload_.keeps_state()) {
    return false;
  }
  workload_.save(staged(checkpoint_));
  saved_ = place;
  is_staged_ = true;
  return true;
}

void SavedStates::publish() {
  if (std::exchange(is_staged_, false) && team_.is_first()) {
    epochcast::train::publish(folder_, checkpoint_);
  }
}

void SavedStates::keep_best() {
  if (workload_.is_best() && team_.is_first()) {
    workload_.save_weights(best_weights(folder_));
  }
}

}  // namespace epochcast::train
