// The part of a pass over the data that one rank processes.
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast::ranks {

/// What to do if the number of indices is not a multiple of the number of ranks.
enum class Rest {
  padded,   ///< Repeat the first indices at the end.
  dropped,  ///< Leave out the last indices.
};

/// Every `size`-th index of `order` from `rank` on. As Python's
/// torch.utils.data.DistributedSampler (2.11) does with shuffle=False on such an order;
/// Rest::dropped is its drop_last.
std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                   std::int64_t size, Rest rest);

/// How many indices that is: of `samples`, for each of `size` ranks.
std::int64_t shard_size(std::int64_t samples, std::int64_t size, Rest rest);

/// The part of `items` for one rank if each item is processed once: contiguous, in order; the sizes
/// of two parts differ by one item at most. The padded shard_size is the largest.
std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                  std::int64_t size);

}  // namespace epochcast::ranks
