// The merges of byte-pair encoding: which neighboring tokens become one token, and in which order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace epochcast::text {

class Merges {
 public:
  struct Merge {
    std::int32_t rank = 0;  ///< The lowest rank is merged first.
    std::int32_t result = 0;
  };

  /// Adds a merge: `left` and `right` (ids from 0) become `result`. The first call gets rank 0.
  /// Returns false and changes nothing if the pair already has a merge.
  bool add(std::int32_t left, std::int32_t right, std::int32_t result);

  /// The merge of two neighbors, or nullptr.
  const Merge* find(std::int32_t left, std::int32_t right) const;

  /// Merges neighbors in `tokens` until no more merge is possible: always the pair of the lowest
  /// rank; among equal ranks, the leftmost. Takes n log n time for n tokens.
  void apply(std::vector<std::int32_t>& tokens) const;

 private:
  std::unordered_map<std::uint64_t, Merge> of_pair_;
};

}  // namespace epochcast::text
