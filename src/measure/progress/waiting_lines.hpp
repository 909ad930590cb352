// Lines that wait until it is known what they mean.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace epochcast::progress {

/// Adds `line`. From `most` lines on, one that is the `same` as the last, but later, stands in its
/// place; others are still added, until there are twice as many.
template <class Line, class Same>
void keep_waiting(std::vector<Line>& lines, Line line, std::size_t most, Same same) {
  if (lines.size() >= most && same(lines.back(), line)) {
    lines.back() = std::move(line);
  } else if (lines.size() < 2 * most) {
    lines.push_back(std::move(line));
  }
}

}  // namespace epochcast::progress
