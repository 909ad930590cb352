#include "src/torch/memory_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/core/error.hpp"

namespace epochcast {

void MemoryDataset::start(std::vector<std::int64_t> order, std::int64_t batch) {
  const auto skips = [](std::int64_t a, std::int64_t b) { return b != a + 1; };
  in_sequence_ = std::adjacent_find(order.begin(), order.end(), skips) == order.end();
  order_ = torch::tensor(order, torch::kLong);
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
    const auto first = order_[next_].item<std::int64_t>();
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

void check_fits(const DatasetContext& context, std::string_view dataset,
                const std::vector<std::int64_t>& shape, std::int64_t classes) {
  if (context.input != shape) {
    throw Error(
        fmt::format("dataset {}: the model wants samples of shape {}, expected one that takes {}",
                    dataset, fmt::join(context.input, " x "), fmt::join(shape, " x ")));
  }
  if (context.classes > 0 && context.classes < classes) {
    throw Error(fmt::format(
        "dataset {}: the model tells {} classes apart, expected at least the {} there are", dataset,
        context.classes, classes));
  }
}

}  // namespace epochcast
