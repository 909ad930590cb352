#include "src/torch/confusion.hpp"

namespace epochcast {

void Confusion::add(const torch::Tensor& answers, const torch::Tensor& labels) {
  const auto classes = counts_.size(0);
  counts_ +=
      torch::bincount(labels * classes + answers, {}, classes * classes).view({classes, classes});
}

Metrics Confusion::scores() const {
  const auto right = counts_.diagonal().to(torch::kDouble);
  const auto all = counts_.sum(1).to(torch::kDouble);
  const auto total = all.sum().item<double>();
  if (total == 0) {
    return {};
  }
  const auto occur = all > 0;
  return {{"accuracy", right.sum().item<double>() / total},
          {"balanced_accuracy",
           (right.masked_select(occur) / all.masked_select(occur)).mean().item<double>()}};
}

}  // namespace epochcast
