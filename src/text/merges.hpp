// The merges of byte-pair encoding: which neighbours become one token, and which before others.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace epochcast::text {

class Merges {
 public:
  struct Merge {
    std::int32_t rank = 0;  ///< The lowest goes first.
    std::int32_t result = 0;
  };

  /// `left` and `right`, ids from 0, become `result`; the first call has rank 0. False, and nothing
  /// is changed, where the two have a merge already.
  bool add(std::int32_t left, std::int32_t right, std::int32_t result);

  /// The merge of two neighbours, or nullptr.
  const Merge* find(std::int32_t left, std::int32_t right) const;

  /// Merges neighbours among `tokens` until none are left that can be: always the pair of the
  /// lowest rank, of several the leftmost. n log n for n tokens.
  void apply(std::vector<std::int32_t>& tokens) const;

 private:
  std::unordered_map<std::uint64_t, Merge> of_pair_;
};

}  // namespace epochcast::text
