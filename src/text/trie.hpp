// Byte strings and their ids, asked for the longest one that a text begins with. Look-ups allocate
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast::text {

/// A static trie in the order of a breadth-first walk, so that the children of a node are one run
/// of sorted bytes: 9 bytes a node.
class Trie {
 public:
  struct Match {
    std::int32_t id = 0;     ///< At least 0.
    std::size_t length = 0;  ///< Bytes of the text.
  };

  /// Of keys that all differ and are not empty.
  explicit Trie(std::vector<std::pair<std::string, std::int32_t>> entries);

  /// The longest key that `text` begins with.
  std::optional<Match> longest(std::string_view text) const;

  /// The id of `key` itself.
  std::optional<std::int32_t> find(std::string_view key) const;

 private:
  static constexpr std::uint32_t nowhere = 0;  // the root is nobody's child

  struct Node {
    std::uint32_t children;  ///< The first; they end where those of the next node begin.
    std::int32_t id;         ///< -1: no key ends here.
  };

  std::uint32_t child(std::uint32_t node, char byte) const;

  std::vector<Node> nodes_;          ///< And one after them, for the end of the last children.
  std::vector<unsigned char> byte_;  ///< Of each node: the one that leads to it.
};

}  // namespace epochcast::text
