#include "src/training/text/token_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace epochcast::text {
namespace {

using Order = std::vector<std::int64_t>;

TEST(PadTokens, PadsToTheLongestOfTheBatch) {
  const std::vector<TokenIds> all{{5, 6, 7, 8, 9}, {1, 2}, {3}, {4, 4, 4}};
  const TokenBatch batch = pad_tokens(all, Order{3, 1, 2}, 9);
  EXPECT_EQ(batch.rows, 3);
  EXPECT_EQ(batch.columns, 3);
  EXPECT_EQ(batch.ids, (Order{4, 4, 4, 1, 2, 9, 3, 9, 9}));
  EXPECT_EQ(batch.mask, (Order{1, 1, 1, 1, 1, 0, 1, 0, 0}));
}

TEST(PadTokens, PadsToAFixedLengthWhereOneIsRequested) {
  const std::vector<TokenIds> all{{1}, {1, 2, 3}};
  EXPECT_EQ(pad_tokens(all, Order{0}, 0, 2).ids, (Order{1, 0}));
  EXPECT_EQ(pad_tokens(all, Order{1}, 0, 2).columns, 3);
  EXPECT_EQ(pad_tokens(all, Order{}, 0).ids, Order{});
}

TEST(PartsOfSimilarLength, PutsTogetherWhatNeedsLittlePadding) {
  using Parts = std::vector<Order>;
  EXPECT_EQ(parts_of_similar_length(Order{}, 100), Parts{});
  EXPECT_EQ(parts_of_similar_length(Order{3, 20, 10, 9, 2, 1}, 100),
            (Parts{{1, 2}, {3}, {0, 4}, {5}}));
  EXPECT_EQ(parts_of_similar_length(Order{5, 5, 5, 5, 5}, 10), (Parts{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(parts_of_similar_length(Order{50, 40}, 10), (Parts{{0}, {1}}));
}

TEST(PartsOfSimilarLength, KeepsEverySequenceOnceWithinBothLimits) {
  Order lengths(2'000);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = 1 + std::int64_t(i * 7919 % 512);
  }
  Order seen;
  for (const auto& part : parts_of_similar_length(lengths, 4096)) {
    const auto longest = lengths[std::size_t(part.front())];
    EXPECT_LE(std::ssize(part) * longest, 4096);
    for (const auto index : part) {
      EXPECT_LE(lengths[std::size_t(index)], longest);
      EXPECT_LE(longest, 2 * lengths[std::size_t(index)]);
      seen.push_back(index);
    }
  }
  std::sort(seen.begin(), seen.end());
  Order all(lengths.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

// What get_length_grouped_indices of transformers gives for this permutation, batches of 2: 13
// samples make parts of one batch each.
TEST(GroupByLength, SortsWithinPartsAndPutsTheLongestFirst) {
  const Order lengths{3, 9, 1, 4, 4, 7, 2, 8, 8, 5, 6, 9, 1};
  const Order order{12, 4, 3, 0, 7, 8, 5, 1, 11, 2, 10, 6, 9};
  EXPECT_EQ(group_by_length(order, lengths, 2), (Order{1, 12, 3, 0, 7, 8, 4, 5, 11, 2, 10, 6, 9}));
}

TEST(GroupByLength, KeepsEverySampleAndGroupsSimilarLengths) {
  Order lengths(5'000);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = std::int64_t(i * 7919 % 61);
  }
  Order order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  const Order grouped = group_by_length(order, lengths, 16);
  EXPECT_EQ(lengths[grouped[0]], 60);
  std::int64_t filled_up = 0;
  for (std::size_t begin = 0; begin < grouped.size(); begin += 16) {
    const auto end = std::min(begin + 16, grouped.size());
    const auto by_length = [&](std::int64_t a, std::int64_t b) { return lengths[a] < lengths[b]; };
    const auto [least, most] =
        std::minmax_element(grouped.begin() + begin, grouped.begin() + end, by_length);
    filled_up += lengths[*most] - lengths[*least];
  }
  EXPECT_LT(filled_up, 5'000 / 16 * 4);  // of a mean range of 57 without
  Order sorted = grouped;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, order);
  EXPECT_EQ(group_by_length({}, lengths, 16), Order{});
}

}  // namespace
}  // namespace epochcast::text
