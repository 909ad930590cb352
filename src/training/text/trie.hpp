// Maps byte strings to ids and finds the longest string that a text begins with. Look-ups do not
// allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast::text {

/// A static trie in breadth-first order, so that the children of a node are one contiguous run of
/// sorted bytes. Takes 9 bytes per node.
class Trie {
 public:
  struct Match {
    std::int32_t id = 0;     ///< At least 0.
    std::size_t length = 0;  ///< Number of bytes of the text.
  };

  /// Keys must be distinct and not empty.
  explicit Trie(std::vector<std::pair<std::string, std::int32_t>> entries);

  /// The longest key that `text` begins with; std::nullopt if there is none.
  std::optional<Match> longest(std::string_view text) const;

  /// The id of exactly `key`; std::nullopt if there is none.
  std::optional<std::int32_t> find(std::string_view key) const;

 private:
  static constexpr std::uint32_t nowhere = 0;  // the root is not a child of any node

  struct Node {
    std::uint32_t children;  ///< Index of the first; they end where those of the next node begin.
    std::int32_t id;         ///< -1: no key ends here.
  };

  std::uint32_t child(std::uint32_t node, char byte) const;

  std::vector<Node> nodes_;          ///< One extra node marks the end of the last children.
  std::vector<unsigned char> byte_;  ///< For each node, the byte that leads to it.
};

}  // namespace epochcast::text
