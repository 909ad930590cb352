#include "src/ranks/shard.hpp"

namespace epochcast {

std::int64_t shard_size(std::int64_t samples, std::int64_t size, bool drop_rest) {
  return drop_rest ? samples / size : (samples + size - 1) / size;
}

std::vector<std::int64_t> shard_of(const std::vector<std::int64_t>& order, std::int64_t rank,
                                   std::int64_t size, bool drop_rest) {
  const auto samples = std::ssize(order);
  std::vector<std::int64_t> shard;
  for (std::int64_t i = 0; i < shard_size(samples, size, drop_rest); ++i) {
    shard.push_back(
        order[static_cast<std::size_t>((rank + i * size) % samples)]);  // the wrap is the padding
  }
  return shard;
}

std::vector<std::int64_t> part_of(const std::vector<std::int64_t>& items, std::int64_t rank,
                                  std::int64_t size) {
  const auto count = std::ssize(items);
  return {items.begin() + count * rank / size, items.begin() + count * (rank + 1) / size};
}

}  // namespace epochcast
