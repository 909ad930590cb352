#include "src/training/loop/updates.hpp"

#include <algorithm>

namespace epochcast::train {

UpdatePlan::UpdatePlan(const run::RunConfig& config, std::int64_t iterations_per_epoch)
    : iterations_per_epoch_(iterations_per_epoch),
      batches_(config.accumulate),
      in_epoch_((iterations_per_epoch + batches_ - 1) / batches_),
      epochs_(config.epochs),
      warmup_(config.warmup_updates),
      evaluate_every_(config.evaluate_every),
      decreases_(config.schedule == "linear") {}

std::int64_t UpdatePlan::before(const Position& position) const {
  const bool epoch_done = position.iteration == iterations_per_epoch_;
  return position.epoch * in_epoch_ + (epoch_done ? in_epoch_ : position.iteration / batches_);
}

BatchRole UpdatePlan::role(const Position& position) const {
  const auto in_update = position.iteration % batches_;
  const auto batches = std::min(batches_, iterations_per_epoch_ - (position.iteration - in_update));
  return {.first = in_update == 0, .last = in_update == batches - 1, .batches = batches};
}

double UpdatePlan::learning_rate_factor(std::int64_t update) const {
  if (update < warmup_) {
    return static_cast<double>(update) / static_cast<double>(warmup_);
  }
  if (!decreases_) {
    return 1;
  }
  const auto falling = std::max<std::int64_t>(1, in_run() - warmup_);
  return std::max(0.0, static_cast<double>(in_run() - update) / static_cast<double>(falling));
}

bool UpdatePlan::evaluation_is_due(const Position& position) const {
  const bool within_epoch = position.iteration > 0 && position.iteration < iterations_per_epoch_;
  return evaluate_every_ > 0 && within_epoch && position.iteration % batches_ == 0 &&
         before(position) % evaluate_every_ == 0;
}

double warmup_factor(const run::RunConfig& config, std::int64_t epoch, std::int64_t processes) {
  if (epoch >= config.warmup_epochs) {
    return 1;
  }
  const double start = 1 / static_cast<double>(processes);
  return start +
         (1 - start) * static_cast<double>(epoch) / static_cast<double>(config.warmup_epochs);
}

std::int64_t samples_of_pass(const run::RunConfig& config, std::int64_t size) {
  return config.last_batch == "drop" ? size - size % config.batch : size;
}

std::int64_t samples_of_training(const run::RunConfig& config, std::int64_t size) {
  const auto samples = samples_of_pass(config, size);
  const auto batches = (samples + config.batch - 1) / config.batch;
  const auto rest = batches % config.accumulate;
  return config.last_update == "drop" && rest > 0 ? (batches - rest) * config.batch : samples;
}

}  // namespace epochcast::train
