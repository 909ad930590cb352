// The lines of a program's own loop, understood together: which of them counts the epochs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/format.hpp"
#include "src/measure/progress/plain_line.hpp"
#include "src/measure/progress/plain_series.hpp"

namespace epochcast::progress {

/// A number after the word "epoch" is a hypothesis. Lines of one shape (one print statement) form
/// a series; the series that goes up by a constant step is the counter, and all other lines mean
/// what they say about the epoch that is open then: a step, the end, an evaluation, or nothing.
/// Until a counter is found, lines wait. A counter that contradicts itself (it falls back without a
/// statement, its total changes) ends the reading.
class PlainParser final : public LineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override;
  std::vector<TimedReading> waiting() override;
  void finish() override;
  bool hear(const Restart& restart) override;

 private:
  struct Seen {
    PlainLine line;
    std::string text;
    double at_s = 0, since_s = 0;
    Restart before = {};
  };
  void count_values(const PlainLine& line);
  void decide(bool at_end);
  void choose(const PlainSeries& shape);
  void replay();
  std::optional<Reading> interpret(const Seen& seen);
  std::optional<Reading> of_counter(const Seen& seen);
  std::optional<Reading> of_other(const Seen& seen);
  std::optional<Reading> conflict(const Seen& seen, const std::string& what);
  std::optional<std::int64_t> from_zero(std::int64_t printed) const;
  std::optional<std::int64_t> total_of(const PlainLine& line) const;
  void add_place(const PlainLine& line, const PlainSeries& shape, Reading& reading) const;
  std::optional<Reading> of_values(const Seen& seen);
  bool restarts(const Seen& seen) const;

  PlainSeriesSet series_;
  /// Lines of values that name no epoch, by their first word: how many at most in one epoch.
  std::map<std::string, std::int64_t, std::less<>> values_in_epoch_, most_values_;
  std::vector<Seen> seen_;  ///< Until a counter is found.
  std::vector<TimedReading> ready_;
  const PlainSeries* counter_ = nullptr;
  Restart heard_;
  std::int64_t stride_ = 1;
  std::int64_t base_ = 0;
  bool several_ = false;     ///< Lines of the counter do not end epochs: there are several in each.
  bool duplicates_ = false;  ///< Several processes print the same line at about the same time.
  std::optional<std::int64_t> current_;  ///< The last number of the counter, as printed.
  std::optional<std::int64_t> ended_;
  std::optional<std::int64_t> total_;
  std::string counted_text_;
  bool stopped_ = false;
};

}  // namespace epochcast::progress
