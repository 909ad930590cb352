// Scores of a classifier on held-out samples, and what a run remembers of them.
#pragma once

#include <cstdint>
#include <optional>

#include "src/torch/network/model.hpp"
#include "src/torch/run/rank_data.hpp"
#include "src/train/team.hpp"

namespace epochcast::libtorch {

/// What a run that goes on must know of earlier evaluations.
struct EvaluationMemory {
  std::int64_t epochs_on_target = 0;  ///< In a row, up to the last epoch.
  std::optional<double> best;         ///< Score by RunConfig::best_by; none before the first.
};

class Evaluation {
 public:
  /// `config` outlives this. `possible`: the model is a classifier and there are held-out samples.
  /// Throws Error where it is not and `config` needs scores, or where best_by names none.
  Evaluation(const run::RunConfig& config, bool possible);

  /// val_loss, and val_ before each score of Confusion, over the samples of all ranks; empty where
  /// there is nothing to score.
  train::Metrics run(Network& network, RankData& data, train::Team& team, std::int64_t classes,
                     const torch::Device& device, bool behind_epoch);

  /// Whether as many epochs in a row as the configuration asks for were at its target.
  bool reached_target() const {
    return config_.target_accuracy > 0 && memory_.epochs_on_target >= config_.patience;
  }
  /// Whether the last evaluation was better than all before.
  bool is_best() const { return is_best_; }

  const EvaluationMemory& memory() const { return memory_; }
  void set_memory(const EvaluationMemory& memory) { memory_ = memory; }

 private:
  void remember(const train::Metrics& scores, bool behind_epoch);

  const run::RunConfig& config_;
  bool possible_;
  bool is_best_ = false;
  EvaluationMemory memory_;
};

}  // namespace epochcast::libtorch
