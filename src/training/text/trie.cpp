#include "src/training/text/trie.hpp"

#include <algorithm>

namespace epochcast::text {
namespace {

/// The sorted entries [begin, end), which have the same first `depth` bytes.
struct Shared {
  std::size_t begin;
  std::size_t end;
  std::size_t depth;
};

}  // namespace

Trie::Trie(std::vector<std::pair<std::string, std::int32_t>> entries) {
  std::sort(entries.begin(), entries.end());  // std::string compares chars as unsigned
  std::vector<Shared> walk{{0, entries.size(), 0}};
  byte_.push_back(0);
  for (std::size_t node = 0; node < walk.size(); ++node) {
    auto [begin, end, depth] = walk[node];
    nodes_.push_back({std::uint32_t(walk.size()), -1});
    if (begin < end && entries[begin].first.size() == depth) {
      nodes_.back().id = entries[begin++].second;
    }
    while (begin < end) {
      const char byte = entries[begin].first[depth];
      const std::size_t first = begin;
      while (begin < end && entries[begin].first[depth] == byte) {
        ++begin;
      }
      walk.push_back({first, begin, depth + 1});
      byte_.push_back(static_cast<unsigned char>(byte));
    }
  }
  nodes_.push_back({std::uint32_t(walk.size()), -1});
}

std::uint32_t Trie::child(std::uint32_t node, char byte) const {
  const auto begin = byte_.begin() + nodes_[node].children;
  const auto end = byte_.begin() + nodes_[node + 1].children;
  const auto wanted = static_cast<unsigned char>(byte);
  const auto found = std::lower_bound(begin, end, wanted);
  return found != end && *found == wanted ? std::uint32_t(found - byte_.begin()) : nowhere;
}

std::optional<Trie::Match> Trie::longest(std::string_view text) const {
  std::optional<Match> best;
  std::uint32_t node = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    node = child(node, text[at]);
    if (node == nowhere) {
      break;
    }
    if (nodes_[node].id >= 0) {
      best = {nodes_[node].id, at + 1};
    }
  }
  return best;
}

std::optional<std::int32_t> Trie::find(std::string_view key) const {
  const auto match = longest(key);
  return match && match->length == key.size() ? std::optional(match->id) : std::nullopt;
}

}  // namespace epochcast::text
