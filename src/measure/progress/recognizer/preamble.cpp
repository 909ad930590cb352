#include "src/measure/progress/recognizer/preamble.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/core/lists.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_kept = 64;
constexpr std::size_t longest_kept = 200;

/// The shape of a line without the words that it has in common with the begin of another.
std::string shape_of_message(std::string_view line, std::string_view other) {
  const auto same = std::ranges::mismatch(line, other).in1 - line.begin();
  const auto word = line.substr(0, std::size_t(same)).find_last_of(" ]:|") + 1;
  return shape_of(line.substr(word));
}

}  // namespace

void Preamble::read(const Line& line) {
  if (since_progress_.size() < most_kept) {
    since_progress_.push_back({.text = std::string(line.text.substr(0, longest_kept)),
                               .at_s = line.at_s,
                               .stamped = line.since_s == line.at_s});
  }
}

void Preamble::note_progress(const Line& line) {
  if (since_progress_.empty()) {
    return;
  }
  if (since_progress_.back().text == line.text.substr(0, longest_kept)) {
    since_progress_.pop_back();
  }
  std::erase_if(since_progress_,
                [](const auto& kept) { return std::ranges::none_of(kept.text, is_letter); });
  if (!since_progress_.empty() || !began_) {
    compare(line.text);
  }
  began_ = true;
  since_progress_.clear();
}

void Preamble::compare(std::string_view progress) {
  auto shapes = mapped(since_progress_,
                       [&](const auto& kept) { return shape_of_message(kept.text, progress); });
  if (!began_) {
    shapes_ = std::move(shapes);
    return;
  }
  const auto has = [](const auto& all, const std::string& shape) {
    return std::ranges::find(all, shape) != all.end();
  };
  const auto again = std::ranges::count_if(shapes_, [&](const auto& s) { return has(shapes, s); });
  const auto first = std::ranges::find_if(since_progress_, [&](const auto& kept) {
    return kept.stamped && has(shapes_, shape_of_message(kept.text, progress));
  });
  const bool sure = again > 1;
  const bool begins = !shapes_.empty() && has(shapes, shapes_.front());
  if ((sure || begins) && again * 2 > std::ssize(shapes_) && first != since_progress_.end() &&
      comes_again_.size() < most_kept) {
    comes_again_.push_back({.at_s = first->at_s, .sure = sure});
  }
}

}  // namespace epochcast::progress
