#include "src/training/torch/run/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/torch/base/sums.hpp"
#include "src/training/torch/network/confusion.hpp"

namespace epochcast::libtorch {
namespace {

/// The metrics of an evaluation, the loss first.
train::Metrics named_scores(train::Metrics loss, const Confusion& confusion) {
  for (const auto& [name, value] : confusion.scores()) {
    loss.emplace_back("val_" + name, value);
  }
  return loss;
}

std::vector<std::string> score_names() {
  Confusion one(2);
  one.add(torch::zeros({1}, torch::kLong), torch::zeros({1}, torch::kLong));
  std::vector<std::string> names;
  for (const auto& [name, value] : named_scores({{"val_loss", 0}}, one)) {
    names.push_back(name);
  }
  return names;
}

void check_best_by(const std::string& name) {
  const auto names = score_names();
  if (!name.empty() && std::ranges::find(names, name) == names.end()) {
    throw Error(fmt::format("best_by: unknown score '{}'{}", name, did_you_mean(name, names)));
  }
}

}  // namespace

Evaluation::Evaluation(const run::RunConfig& config, bool possible)
    : config_(config), possible_(possible) {
  check_best_by(config.best_by);
  const auto need = [&](const char* option, bool given, const char* purpose) {
    if (given && !possible) {
      throw Error(fmt::format("{}: {} on {} has no batch of held-out samples to {}", option,
                              config.model, config.dataset, purpose));
    }
  };
  need("target_accuracy", config.target_accuracy > 0, "reach it on");
  need("best_by", !config.best_by.empty(), "be the best on");
  need("evaluate_every", config.evaluate_every > 0, "score");
}

train::Metrics Evaluation::run(Network& network, RankData& data, train::Team& team,
                               std::int64_t classes, const torch::Device& device,
                               bool after_epoch) {
  Sums loss({"loss"}, device);
  Confusion confusion(classes, device);
  data.start_held_out();
  for (auto batch = data.next_held_out(); batch.inputs.defined(); batch = data.next_held_out()) {
    const auto answers = network.score(batch);
    loss.add({answers.loss});
    loss.count(batch.inputs.size(0));
    confusion.add(answers.classes, batch.labels);
  }
  confusion.all_reduce(team);
  const auto sums = team.sum({loss.tensor().item<double>(), double(loss.samples())});
  const auto scores = named_scores({{"val_loss", sums[0] / sums[1]}}, confusion);
  not_finite_ = std::max(not_finite_, confusion.without_class());
  remember(scores, confusion.without_class() == 0 && std::isfinite(sums[0]), after_epoch);
  return scores;
}

std::vector<std::string> Evaluation::notes() const {
  if (not_finite_ == 0) {
    return {};
  }
  return {fmt::format(
      "the network's output for {} held-out samples was not finite: they count as wrong",
      not_finite_)};
}

/// Of equal scores the first stays the best. Scores of a network with outputs that are not finite
/// neither reach the target nor are the best.
void Evaluation::remember(const train::Metrics& scores, bool is_finite, bool after_epoch) {
  if (after_epoch) {
    const bool on_target =
        is_finite && train::metric(scores, "val_accuracy") >= config_.target_accuracy;
    memory_.epochs_on_target = on_target ? memory_.epochs_on_target + 1 : 0;
  }
  is_best_ = false;
  if (!config_.best_by.empty()) {
    const auto score = train::metric(scores, config_.best_by);
    const bool lower_is_better = config_.best_by.ends_with("loss");  // as transformers' Trainer
    is_best_ = is_finite &&
               (!memory_.best || (lower_is_better ? score < *memory_.best : score > *memory_.best));
    memory_.best = is_best_ ? score : memory_.best;
  }
}

}  // namespace epochcast::libtorch
