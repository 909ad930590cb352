// Lines of a log in which only some begin with a stamp.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::progress {

/// One without a stamp was printed between those of its neighbors.
class StampedLines {
 public:
  explicit StampedLines(const Interpretation& meaning)
      : clock_(meaning.dates), unstamped_(meaning.unstamped) {}

  std::optional<double> time_s(const Stamp& stamp) { return clock_.time_s(stamp); }
  void add_unstamped(const Line& line) { waiting_.emplace_back(line); }
  /// Those since the last stamp: the next is at `until_s`; without it, none comes.
  std::vector<KeptLine> take_unstamped(std::optional<double> until_s) {
    const double since_s = std::exchange(last_s_, until_s.value_or(last_s_));
    for (auto& line : waiting_) {
      line.at_s = unstamped_ == UnstampedLines::early ? since_s : last_s_;
      line.since_s = since_s;
    }
    return std::exchange(waiting_, {});
  }

 private:
  StampClock clock_;
  UnstampedLines unstamped_;
  double last_s_ = 0;
  std::vector<KeptLine> waiting_;
};

}  // namespace epochcast::progress
