// What the lines of a program's own loop mean, by all of them that have come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/progress/reading/plain_line.hpp"
#include "src/measure/progress/reading/plain_series.hpp"
#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

struct PlainSeen {
  PlainLine line;
  std::string text;
  double at_s = 0, since_s = 0;
  bool timed = true;
  Restart before = {};
};

struct PlainMeaning {
  const PlainSeries* counter = nullptr;  ///< Counts the epochs.
  std::int64_t stride = 1;               ///< "Epoch 10", "Epoch 20": a line each tenth epoch.
  std::int64_t base = 0;                 ///< What is printed for the first epoch.
  bool several = false;     ///< Lines of the counter do not end epochs: there are several in each.
  bool closes = false;      ///< Lines of the counter look like headings, and end epochs.
  bool duplicates = false;  ///< Several processes print the same line at about the same time.

  /// Whether the lines of the counter end epochs.
  bool ends() const { return closes || (counter->role == LineRole::summary && !several); }
};

/// std::nullopt: it is not known yet which series counts.
std::optional<PlainMeaning> plain_meaning(const PlainSeriesSet& series,
                                          const std::vector<PlainSeen>& lines, bool at_end);

/// Lines of values that name no epoch, by their first word: how many at most in one epoch.
class ValueLines {
 public:
  void count(const PlainLine& line);
  /// 0: there was none.
  std::int64_t most_in_epoch(const std::string& word) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> in_epoch_, most_;
};

}  // namespace epochcast::progress
