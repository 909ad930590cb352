#include "src/base/core/metric_meaning.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

using Words = std::vector<std::string>;
using Names = std::set<std::string_view>;

struct DataWord {
  std::string_view word;
  MetricData data;
};
constexpr std::array data_words{DataWord{"val", MetricData::validation},
                                DataWord{"valid", MetricData::validation},
                                DataWord{"validation", MetricData::validation},
                                DataWord{"eval", MetricData::validation},
                                DataWord{"evaluation", MetricData::validation},
                                DataWord{"dev", MetricData::validation},
                                DataWord{"heldout", MetricData::validation},
                                DataWord{"holdout", MetricData::validation},
                                DataWord{"test", MetricData::test},
                                DataWord{"testing", MetricData::test},
                                DataWord{"train", MetricData::training},
                                DataWord{"training", MetricData::training}};

/// Words that say nothing about the quantity.
const Names fillers{"metric", "metrics", "epoch", "avg", "average", "mean", "overall", "total"};

/// Accuracy, with the words of the name joined. Those of `top_1` are held-out data if they stand
/// alone.
const Names top_1{"acc1",          "acc_1",         "accuracy1", "accuracy_1",    "prec1",
                  "prec_1",        "precision_1",   "top1",      "top_1",         "top1_acc",
                  "top_1_acc",     "acc_top1",      "acc_top_1", "top1_accuracy", "top_1_accuracy",
                  "accuracy_top1", "accuracy_top_1"};
const Names accuracy{"accuracy",
                     "acc",
                     "accuracy_score",
                     "acc_score",
                     "binary_accuracy",
                     "categorical_accuracy",
                     "multiclass_accuracy",
                     "sparse_categorical_accuracy"};

const Names lower_is_better{
    "loss",    "error",    "err",    "wer",     "cer",          "ter",   "eer", "ppl", "perplexity",
    "mse",     "mae",      "rmse",   "mape",    "nll",          "fid",   "kid", "bpc", "bpb",
    "logloss", "mlogloss", "merror", "entropy", "crossentropy", "brier", "epe"};
const Names higher_is_better{"accuracy", "acc",     "precision", "prec",   "top",       "recall",
                             "f1",       "auc",     "auroc",     "auprc",  "ap",        "map",
                             "iou",      "miou",    "dice",      "bleu",   "sacrebleu", "chrf",
                             "rouge",    "rougel",  "rougelsum", "meteor", "psnr",      "ssim",
                             "r2",       "reward",  "return",    "mcc",    "kappa",     "ndcg",
                             "mrr",      "pearson", "spearman"};
/// With these the rest of the name says nothing about how well a run does: "loss_scale".
const Names settings{"scale", "lr", "learning", "weight", "time", "count", "samples"};

/// The data that a word names; the word goes.
std::optional<MetricData> take_data(Words& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto found = std::ranges::find(data_words, *word, &DataWord::word);
    if (found != data_words.end()) {
      words.erase(word);
      return found->data;
    }
  }
  return std::nullopt;
}

/// "accuracy_error" is an error.
std::optional<bool> is_higher_better(const Words& words) {
  const auto any_in = [&](const Names& names) {
    return std::ranges::any_of(words, [&](std::string word) {
      const bool whole = names.contains(word);
      word = word.substr(0, word.find_first_of("0123456789"));  // "map50", "fid50k"
      return whole || names.contains(word);
    });
  };
  if (any_in(settings)) {
    return std::nullopt;
  }
  const bool lower = any_in(lower_is_better);
  return lower || any_in(higher_is_better) ? std::optional(!lower) : std::nullopt;
}

}  // namespace

MetricMeaning meaning_of_metric(std::string_view name) {
  auto words = words_of_name(name);
  MetricMeaning meaning{.quantity = {}, .data = take_data(words).value_or(MetricData::unknown)};
  std::erase_if(words, [](const std::string& word) { return fillers.contains(word); });
  meaning.quantity = join(words, "_");
  meaning.higher_is_better = is_higher_better(words);
  const bool is_top_1 = top_1.contains(meaning.quantity);
  if (is_top_1 || accuracy.contains(meaning.quantity)) {
    meaning.quantity = "accuracy";
    meaning.usually_held_out = is_top_1;
  }
  return meaning;
}

}  // namespace epochcast
