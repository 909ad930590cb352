#include "src/training/ranks/shard.hpp"

namespace epochcast::ranks {

std::int64_t shard_size(std::int64_t samples, std::int64_t size, Rest rest) {
  return rest == Rest::dropped ? samples / size : (samples + size - 1) / size;
}

std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                   std::int64_t size, Rest rest) {
  const auto samples = std::ssize(order);
  std::vector<std::int64_t> shard;
  for (std::int64_t i = 0; i < shard_size(samples, size, rest); ++i) {
    const auto wrapped = (rank + i * size) % samples;  // wraps around for the padding
    shard.push_back(order[static_cast<std::size_t>(wrapped)]);
  }
  return shard;
}

std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                  std::int64_t size) {
  const auto count = std::ssize(items);
  return {items.begin() + count * rank / size, items.begin() + count * (rank + 1) / size};
}

}  // namespace epochcast::ranks
