// Combines sequences of token ids into batches for a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/training/text/tokenizer.hpp"

namespace epochcast::text {

/// Sequences padded to one length, row by row.
struct TokenBatch {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> mask;  ///< 1 for a token, 0 for padding.
};

/// The sequences `chosen` of `all`, in that order, padded with the token `padding` to the length of
/// the longest one and to at least `min_columns` (for recipes that pad to a fixed length).
TokenBatch pad_tokens(const std::vector<TokenIds>& all, std::span<const std::int64_t> chosen,
                      TokenId padding, std::int64_t min_columns = 0);

/// Divides sequences of these `lengths` (each at least 1) into parts that are padded and computed
/// one by one. The longest sequence of a part is at most twice as long as its shortest, so that
/// padding is less than half of the work, and a part has at most `most_tokens` tokens with its
/// padding, or one sequence. Every index is in one part; the parts with the longest come first.
std::vector<std::vector<std::int64_t>> parts_of_similar_length(
    std::span<const std::int64_t> lengths, std::int64_t most_tokens);

/// Reorders `order` (indices of samples in `lengths`) so that each batch of `batch` sequences has
/// similar lengths and needs little padding. Divides `order` into parts of up to 50 batches (fewer
/// for a small set, so that there are 4 parts), sorts each part with the longest first, and moves
/// the longest sequence of all to the front, so that a lack of memory shows at once. `batch` is at
/// least 1. Source: transformers, trainer_pt_utils.get_length_grouped_indices (option
/// group_by_length).
std::vector<std::int64_t> group_by_length(std::vector<std::int64_t> order,
                                          std::span<const std::int64_t> lengths,
                                          std::int64_t batch);

}  // namespace epochcast::text
