// The part of an epoch that one rank processes.
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast::ranks {

/// What to do if the number of indices is not a multiple of the number of ranks.
enum class Rest {
  padded,   ///< Repeat the first indices at the end.
  dropped,  ///< Omit the last indices.
};

/// The number of indices in the shard of one rank, if `size` ranks divide `samples` indices.
inline std::int64_t shard_size(std::int64_t samples, std::int64_t size, Rest rest) {
  return rest == Rest::dropped ? samples / size : (samples + size - 1) / size;
}

/// Every `size`-th index of `order`, starting at position `rank`. Python's
/// torch.utils.data.DistributedSampler (2.11) does the same with shuffle=False on such an order;
/// Rest::dropped is its drop_last.
inline std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                          std::int64_t size, Rest rest) {
  const auto samples = std::ssize(order);
  std::vector<std::int64_t> shard;
  for (std::int64_t i = 0; i < shard_size(samples, size, rest); ++i) {
    const auto wrapped = (rank + i * size) % samples;  // wraps around for the padding
    shard.push_back(order[static_cast<std::size_t>(wrapped)]);
  }
  return shard;
}

/// The part of `items` for one rank if each item is processed once: contiguous and in order. The
/// sizes of two parts differ by one item at most. The largest part has the padded shard_size.
inline std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                         std::int64_t size) {
  const auto count = std::ssize(items);
  return {items.begin() + count * rank / size, items.begin() + count * (rank + 1) / size};
}

}  // namespace epochcast::ranks
