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

/// Every `size`-th index of `order`, starting at position `rank`. Python's
/// torch.utils.data.DistributedSampler (2.11) does the same with shuffle=False on such an order;
/// Rest::dropped is its drop_last.
std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                   std::int64_t size, Rest rest);

/// The number of indices in the shard of one rank, if `size` ranks divide `samples` indices.
std::int64_t shard_size(std::int64_t samples, std::int64_t size, Rest rest);

/// The part of `items` for one rank if each item is processed once: contiguous and in order. The
/// sizes of two parts differ by one item at most. The largest part has the padded shard_size.
std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                  std::int64_t size);

}  // namespace epochcast::ranks
