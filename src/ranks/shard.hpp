// The part of a pass over the data that is a rank's own.
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast {

/// Every `size`-th index of `order` from `rank` on. Where the ranks do not divide it, indices of
/// its beginning are appended until they do (`drop_rest` false), or those at its end are left out.
/// As Python's torch.utils.data.DistributedSampler (2.11) does with shuffle=False on such an order.
std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                   std::int64_t size, bool drop_rest = false);

/// How many indices that is: of `samples`, for each of `size` ranks.
std::int64_t shard_size(std::int64_t samples, std::int64_t size, bool drop_rest = false);

/// The part of `items` that is a rank's own where each is to be looked at once: contiguous, in
/// their order, and no part is longer than another by more than one item. shard_size is the
/// longest.
std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                  std::int64_t size);

}  // namespace epochcast
