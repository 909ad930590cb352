// Scores of a classifier on held-out samples, and the state that a run keeps of them.
#pragma once

#include <cstdint>
#include <optional>

#include "src/training/loop/team.hpp"
#include "src/training/torch/network/model.hpp"
#include "src/training/torch/run/rank_data.hpp"

namespace epochcast::libtorch {

/// What a resumed run must know of earlier evaluations.
struct EvaluationMemory {
  std::int64_t epochs_on_target = 0;  ///< In a row, up to the last epoch.
  std::optional<double> best;         ///< Score by RunConfig::best_by; none before the first.
};

class Evaluation {
 public:
  /// `config` outlives this. `possible`: the model is a classifier and there are held-out samples.
  /// Throws Error if it is not possible but `config` needs scores, or if best_by is not a score.
  Evaluation(const run::RunConfig& config, bool possible);

  bool is_possible() const { return possible_; }

  /// val_loss, and each score of Confusion with the prefix val_, over the samples of all ranks.
  train::Metrics run(Network& network, RankData& data, train::Team& team, std::int64_t classes,
                     const torch::Device& device, bool after_epoch);

  /// Whether the configured number of epochs in a row reached the target.
  bool reached_target() const {
    return config_.target_accuracy > 0 && memory_.epochs_on_target >= config_.patience;
  }
  /// Whether the last evaluation was better than all before.
  bool is_best() const { return is_best_; }
  /// For the record: that outputs were not finite.
  std::vector<std::string> notes() const;

  const EvaluationMemory& memory() const { return memory_; }
  void set_memory(const EvaluationMemory& memory) { memory_ = memory; }

 private:
  void remember(const train::Metrics& scores, bool is_finite, bool after_epoch);

  const run::RunConfig& config_;
  bool possible_;
  bool is_best_ = false;
  std::int64_t not_finite_ = 0;  ///< Most samples of one evaluation with such an output.
  EvaluationMemory memory_;
};

}  // namespace epochcast::libtorch
