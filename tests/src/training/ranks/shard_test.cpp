#include "src/training/ranks/shard.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace epochcast::ranks {
namespace {

using Order = std::vector<std::int64_t>;

struct Case {
  Order order;
  Rest rest;
  std::vector<Order> shards;  ///< As torch.utils.data.DistributedSampler of torch 2.11 gave them.
};

TEST(Shard, IsThatOfPythonsDistributedSampler) {
  const Order ten{1, 4, 9, 6, 3, 5, 0, 2, 8, 7};  // shuffle=True, seed 3, epoch 2
  const std::vector<Case> cases{
      {ten, Rest::padded, {{1, 3, 8}, {4, 5, 7}, {9, 0, 1}, {6, 2, 4}}},
      {ten, Rest::dropped, {{1, 3}, {4, 5}, {9, 0}, {6, 2}}},
      {{4, 1, 7, 5, 3, 9, 0, 8, 6, 2},
       Rest::padded,
       {{4, 5, 0, 2}, {1, 3, 8, 4}, {7, 9, 6, 1}}},  // seed 0, epoch 0
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Rest::dropped, {{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}}},
      {{0, 1, 2}, Rest::padded, {{0}, {1}, {2}, {0}, {1}, {2}, {0}, {1}}},
  };
  for (const auto& [order, rest, shards] : cases) {
    const auto size = std::ssize(shards);
    for (std::int64_t rank = 0; rank < size; ++rank) {
      const auto shard = shard_of(order, rank, size, rest);
      EXPECT_EQ(shard, shards[static_cast<std::size_t>(rank)])
          << order.size() << " samples, rank " << rank << " of " << size;
      EXPECT_EQ(std::ssize(shard), shard_size(std::ssize(order), size, rest));
    }
  }
}

TEST(Shard, OfOneRankIsTheWholeOrder) {
  const Order order{3, 1, 2};
  EXPECT_EQ(shard_of(order, 0, 1, Rest::padded), order);
  EXPECT_EQ(shard_of(order, 0, 1, Rest::dropped), order);
}

TEST(Part, DividesEveryItemOnceInOrderAndEvenly) {
  for (std::int64_t count = 0; count < 40; ++count) {
    std::vector<std::int64_t> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 100);
    for (std::int64_t size = 1; size < 9; ++size) {
      std::vector<std::int64_t> together;
      for (std::int64_t rank = 0; rank < size; ++rank) {
        const auto part = part_of(items, rank, size);
        EXPECT_LE(std::ssize(part), shard_size(count, size, Rest::padded));
        EXPECT_GE(std::ssize(part), shard_size(count, size, Rest::dropped));
        together.insert(together.end(), part.begin(), part.end());
      }
      EXPECT_EQ(together, items);
    }
  }
}

}  // namespace
}  // namespace epochcast::ranks
