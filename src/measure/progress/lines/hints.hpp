// Finds the places in a program's output that may be progress, fast enough for any output.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::progress {

/// A set of short texts, searched for all at once: about 1 ns a byte.
class Hints {
 public:
  /// Each of two bytes or more.
  explicit Hints(const std::vector<std::string>& texts);
  bool empty() const { return texts_.empty(); }
  /// Where the first of them stands in `bytes` at or after `from`; npos: nowhere.
  std::size_t find(std::string_view bytes, std::size_t from) const;

 private:
  bool at(std::string_view bytes, std::size_t place) const;

  std::bitset<65536> pairs_;        ///< The first two bytes of a text.
  std::vector<std::string> texts_;  ///< Sorted by their pairs.
};

}  // namespace epochcast::progress
