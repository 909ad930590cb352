#include "src/training/text/merges.hpp"

#include <algorithm>

namespace epochcast::text {
namespace {

constexpr std::int32_t none = -1;

std::uint64_t key(std::int32_t left, std::int32_t right) {
  return std::uint64_t(std::uint32_t(left)) << 32 | std::uint32_t(right);
}

/// A sequence of tokens during merging.
class Row {
 public:
  Row(const Merges& merges, const std::vector<std::int32_t>& tokens) : merges_(merges) {
    symbols_.reserve(tokens.size());
    for (const std::int32_t id : tokens) {
      const auto at = std::int32_t(symbols_.size());
      symbols_.push_back({id, at - 1, at + 1});
    }
    symbols_.back().next = none;
    for (std::int32_t at = 0; at < std::int32_t(symbols_.size()); ++at) {
      consider(at);
    }
  }

  void merge_all() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Candidate best = heap_.back();
      heap_.pop_back();
      if (still_there(best)) {
        merge(best);
      }
    }
  }

  void copy_to(std::vector<std::int32_t>& tokens) const {
    tokens.clear();
    for (const Symbol& symbol : symbols_) {
      if (symbol.id != none) {
        tokens.push_back(symbol.id);
      }
    }
  }

 private:
  /// A token and its remaining neighbors; `id` is `none` after it has been merged into another.
  struct Symbol {
    std::int32_t id;
    std::int32_t previous;
    std::int32_t next;
  };

  struct Candidate {
    std::int32_t rank;
    std::int32_t at;  ///< Index of the left token of the pair.
    std::int32_t result;

    /// Order for a heap: the top has the lowest rank; among equal ranks, the leftmost.
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  /// Pushes the pair that begins at `at` onto the heap if it exists and can be merged.
  void consider(std::int32_t at) {
    if (at == none || symbols_[at].next == none) {
      return;
    }
    if (const auto* merge = merges_.find(symbols_[at].id, symbols_[symbols_[at].next].id)) {
      heap_.push_back({merge->rank, at, merge->result});
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  /// Whether the candidate is still valid. As in huggingface/tokenizers (models/bpe/word.rs), only
  /// the result of the merge is compared, not the pair: a different pair with the same result is
  /// merged in its place.
  bool still_there(const Candidate& candidate) const {
    const Symbol& left = symbols_[candidate.at];
    if (left.id == none || left.next == none) {
      return false;
    }
    const auto* merge = merges_.find(left.id, symbols_[left.next].id);
    return merge != nullptr && merge->result == candidate.result;
  }

  void merge(const Candidate& best) {
    Symbol& left = symbols_[best.at];
    Symbol& right = symbols_[left.next];
    left.id = best.result;
    left.next = right.next;
    right.id = none;
    if (left.next != none) {
      symbols_[left.next].previous = best.at;
    }
    consider(left.previous);
    consider(best.at);
  }

  const Merges& merges_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;
};

}  // namespace

bool Merges::add(std::int32_t left, std::int32_t right, std::int32_t result) {
  return of_pair_.emplace(key(left, right), Merge{std::int32_t(of_pair_.size()), result}).second;
}

const Merges::Merge* Merges::find(std::int32_t left, std::int32_t right) const {
  const auto found = of_pair_.find(key(left, right));
  return found == of_pair_.end() ? nullptr : &found->second;
}

void Merges::apply(std::vector<std::int32_t>& tokens) const {
  if (tokens.size() < 2) {
    return;
  }
  Row row(*this, tokens);
  row.merge_all();
  row.copy_to(tokens);
}

}  // namespace epochcast::text
