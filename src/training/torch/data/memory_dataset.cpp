#include "src/training/torch/data/memory_dataset.hpp"

#include <algorithm>

namespace epochcast::libtorch {
namespace {

/// Tokens after the longest sample of the batch are padding in all samples.
void cut_to_longest(Samples& batch) {
  const auto longest = batch.mask.sum(1).max().item<std::int64_t>();
  batch.inputs = batch.inputs.narrow(1, 0, longest).contiguous();
  batch.mask = batch.mask.narrow(1, 0, longest).contiguous();
}

}  // namespace

void MemoryDataset::start(std::vector<std::int64_t> order, std::int64_t batch) {
  const auto skips = [](std::int64_t a, std::int64_t b) { return b != a + 1; };
  in_sequence_ = std::adjacent_find(order.begin(), order.end(), skips) == order.end();
  order_ = torch::tensor(order, torch::kLong);
  first_ = order.empty() ? 0 : order.front();
  batch_ = batch;
  next_ = 0;
}

Samples MemoryDataset::next() {
  const auto end = std::min(next_ + batch_, order_.size(0));
  if (next_ >= end) {
    return {};
  }
  const auto part = [&](const torch::Tensor& all) {
    if (!all.defined()) {
      return all;
    }
    return in_sequence_ ? all.narrow(0, first_ + next_, end - next_)
                        : all.index_select(0, order_.slice(0, next_, end));
  };
  Samples batch{part(all_.inputs), part(all_.labels), part(all_.mask)};
  next_ = end;
  if (batch.mask.defined()) {
    cut_to_longest(batch);
  }
  if (batch.inputs.scalar_type() == torch::kByte) {
    batch.inputs = batch.inputs.to(torch::kFloat).div_(255);
  }
  return batch;
}

}  // namespace epochcast::libtorch
