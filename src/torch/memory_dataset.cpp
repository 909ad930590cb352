#include "src/torch/memory_dataset.hpp"

#include <algorithm>

namespace epochcast {

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
  Samples batch;
  if (in_sequence_) {
    const auto first = first_ + next_;
    batch = {all_.inputs.narrow(0, first, end - next_), all_.labels.narrow(0, first, end - next_)};
  } else {
    const auto indices = order_.slice(0, next_, end);
    batch = {all_.inputs.index_select(0, indices), all_.labels.index_select(0, indices)};
  }
  next_ = end;
  if (batch.inputs.scalar_type() == torch::kByte) {
    batch.inputs = batch.inputs.to(torch::kFloat).div_(255);
  }
  return batch;
}

}  // namespace epochcast
