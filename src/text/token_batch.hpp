// Sequences of token ids as the batches that a model takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/text/tokenizer.hpp"

namespace epochcast::text {

/// Sequences filled up to one length, row by row.
struct TokenBatch {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> mask;  ///< 1 where a token stands, 0 where the row is filled up.
};

/// The sequences `chosen` of `all`, in that order, filled up with `padding` to the longest of them,
/// and to at least `min_columns` (recipes that fill up to a fixed length).
TokenBatch pad_tokens(const std::vector<TokenIds>& all, std::span<const std::int64_t> chosen,
                      TokenId padding, std::int64_t min_columns = 0);

/// `order`, samples by their index into `lengths`, so changed that batches of `batch` hold
/// sequences of about one length and little is filled up: cut into parts of up to 50 batches (of a
/// small set so many less that there are 4 parts), each part sorted, longest first, and the longest
/// sequence of all moved to the front, where too little memory shows at once. `batch` is at
/// least 1. Source: transformers, trainer_pt_utils.get_length_grouped_indices (its option
/// group_by_length).
std::vector<std::int64_t> group_by_length(std::vector<std::int64_t> order,
                                          std::span<const std::int64_t> lengths,
                                          std::int64_t batch);

}  // namespace epochcast::text
