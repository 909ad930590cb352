// The part of a pass over the data that is a rank's own.
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast::ranks {

/// What becomes of an order that the ranks do not divide.
enum class Rest {
  padded,   ///< Indices of its beginning are appended until they do.
  dropped,  ///< Those at its end are left out.
};

/// Every `size`-th index of `order` from `rank` on. As Python's
/// torch.utils.data.DistributedSampler (2.11) does with shuffle=False on such an order;
/// Rest::dropped is its drop_last.
std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                   std::int64_t size, Rest rest);

/// How many indices that is: of `samples`, for each of `size` ranks.
std::int64_t shard_size(std::int64_t samples, std::int64_t size, Rest rest);

/// The part of `items` that is a rank's own where each is to be looked at once: contiguous, in
/// their order, and no part is longer than another by more than one item. The padded shard_size is
/// the longest.
std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                  std::int64_t size);

}  // namespace epochcast::ranks
