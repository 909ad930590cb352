// Sets of code points as sorted ranges.
#pragma once

#include <algorithm>
#include <span>

namespace epochcast::text {

struct CodeRange {
  char32_t first;
  char32_t last;
};

/// Whether one of `ranges`, which must be sorted and disjoint, contains `code`.
inline bool in_ranges(std::span<const CodeRange> ranges, char32_t code) {
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), code,
      [](char32_t wanted, const CodeRange& range) { return wanted < range.first; });
  return after != ranges.begin() && code <= (after - 1)->last;
}

}  // namespace epochcast::text
