#include "src/training/text/token_batch.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace epochcast::text {

TokenBatch pad_tokens(const std::vector<TokenIds>& all, std::span<const std::int64_t> chosen,
                      TokenId padding, std::int64_t min_columns) {
  TokenBatch batch{.rows = std::ssize(chosen), .columns = min_columns};
  for (const std::int64_t index : chosen) {
    batch.columns = std::max(batch.columns, std::int64_t(std::ssize(all[index])));
  }
  batch.ids.assign(std::size_t(batch.rows * batch.columns), padding);
  batch.mask.assign(batch.ids.size(), 0);
  std::ptrdiff_t row = 0;
  for (const std::int64_t index : chosen) {
    std::copy(all[index].begin(), all[index].end(), batch.ids.begin() + row);
    std::fill_n(batch.mask.begin() + row, all[index].size(), 1);
    row += batch.columns;
  }
  return batch;
}

std::vector<std::vector<std::int64_t>> parts_of_similar_length(
    std::span<const std::int64_t> lengths, std::int64_t most_tokens) {
  std::vector<std::int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int64_t index) { return lengths[std::size_t(index)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
  std::vector<std::vector<std::int64_t>> parts;
  for (const auto index : order) {
    const auto longest = parts.empty() ? 0 : length(parts.back().front());
    const bool fits = !parts.empty() && longest <= 2 * length(index) &&
                      (std::ssize(parts.back()) + 1) * longest <= most_tokens;
    if (!fits) {
      parts.emplace_back();
    }
    parts.back().push_back(index);
  }
  return parts;
}

std::vector<std::int64_t> group_by_length(std::vector<std::int64_t> order,
                                          std::span<const std::int64_t> lengths,
                                          std::int64_t batch) {
  if (order.empty()) {
    return order;
  }
  const auto size = std::ssize(order);
  const std::int64_t part = batch * std::clamp<std::int64_t>(size / (batch * 4), 1, 50);
  const auto longer = [&](std::int64_t a, std::int64_t b) { return lengths[a] > lengths[b]; };
  auto longest = order.begin();
  for (std::ptrdiff_t begin = 0; begin < size; begin += part) {
    const auto first = order.begin() + begin;
    std::stable_sort(first, order.begin() + std::min(begin + part, size), longer);
    if (longer(*first, *longest)) {
      longest = first;
    }
  }
  std::iter_swap(order.begin(), longest);
  return order;
}

}  // namespace epochcast::text
