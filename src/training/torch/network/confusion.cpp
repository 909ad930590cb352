#include "src/training/torch/network/confusion.hpp"

namespace epochcast::libtorch {
namespace {

torch::Tensor ratio_or_0(const torch::Tensor& part, const torch::Tensor& whole) {
  return torch::where(whole > 0, part / whole, torch::zeros_like(whole));
}

}  // namespace

void Confusion::add(const torch::Tensor& answers, const torch::Tensor& labels) {
  const auto cells = labels * counts_.size(1) + answers;
  counts_.view(-1).index_add_(0, cells, torch::ones_like(cells));
}

void Confusion::all_reduce(train::Team& team) {
  if (team.size() == 1) {
    return;
  }
  const auto own = counts_.cpu().to(torch::kDouble);  // counts to 2^53 stay exact
  const auto* first = own.const_data_ptr<double>();
  const auto sums = team.sum({first, first + own.numel()});
  counts_.copy_(torch::tensor(sums, torch::kDouble).view_as(counts_));
}

train::Metrics Confusion::scores() const {
  const auto counts = counts_.cpu().to(torch::kDouble);
  const auto right = counts.diagonal();
  const auto occur = counts.sum(1);
  const auto answered = counts.sum(0).narrow(0, 0, counts.size(0));
  const auto total = occur.sum().item<double>();
  if (total == 0) {
    return {};
  }
  const auto recall = ratio_or_0(right, occur);
  const auto one_number = [&](const torch::Tensor& by_class) {
    return (by_class.size(0) == 2 ? by_class[1] : (by_class * occur).sum() / total).item<double>();
  };
  return {{"accuracy", right.sum().item<double>() / total},
          {"balanced_accuracy", (recall.sum() / (occur > 0).sum()).item<double>()},
          {"precision", one_number(ratio_or_0(right, answered))},
          {"recall", one_number(recall)},
          {"f1", one_number(ratio_or_0(2 * right, occur + answered))}};
}

std::int64_t Confusion::without_class() const {
  return counts_.select(1, counts_.size(0)).sum().item<std::int64_t>();
}

torch::Tensor classes_of(const torch::Tensor& logits) {
  const auto is_finite = torch::isfinite(logits).all(1);
  return torch::where(is_finite, logits.argmax(1), logits.size(1));
}

}  // namespace epochcast::libtorch
