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

namespace epochcast::progress {

/// A number after the word "epoch" is a hypothesis. Lines of one shape (one print statement) form
/// a series; the series that goes up by a constant step is the counter, and all other lines mean
/// what they say about the epoch that is open then: a step, the end, an evaluation, or nothing.
/// Until a counter is found, lines wait. A counter that contradicts itself (it falls back without a
/// statement, its total changes) ends the reading.
class PlainReader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override;
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
  /// What is known of the lines of one shape.
  struct Shape {
    std::size_t order = 0;  ///< Of its first line.
    LineRole role = LineRole::mention;
    bool evaluates = false;
    bool has_total = false;
    bool labelled = false;  ///< Words stand before the epoch.
    std::int64_t first = -1, last = -1;
    std::int64_t advances = 0, retreats = 0, repeats = 0;
    double first_of_last_at_s = 0;
    double spread_s = 0;    ///< Longest time between lines of one number.
    double interval_s = 0;  ///< Longest time between the first lines of two numbers.
    std::int64_t least_step = -1;
    bool reaches_total = false;
    std::int64_t restated = 0;  ///< Retreats that a statement announced.
    std::vector<NamedValue> values;
    bool repeats_values = false;  ///< Lines of one number have the same values.

    /// Lines of one number come at about the same time, as those of several processes do; without
    /// times, they have the same values.
    bool repeats_at_once() const {
      return interval_s > 0 ? spread_s < 0.2 * interval_s : repeats_values;
    }
  };

  void learn(const Seen& seen);
  void decide(bool at_end);
  const Shape* best(bool at_end) const;
  bool is_counter(const Shape& shape, bool at_end) const;
  void choose(const Shape& shape);
  void replay();
  std::optional<Reading> interpret(const Seen& seen);
  std::optional<Reading> of_counter(const Seen& seen);
  std::optional<Reading> of_other(const Seen& seen);
  std::optional<Reading> conflict(const Seen& seen, const std::string& what);
  std::optional<std::int64_t> from_zero(std::int64_t printed) const;
  std::optional<std::int64_t> total_of(const PlainLine& line) const;
  void add_place(const PlainLine& line, const Shape& shape, Reading& reading) const;
  std::optional<Reading> of_values(const Seen& seen);
  bool restarts(const Seen& seen) const;

  std::map<std::string, Shape, std::less<>> shapes_;
  /// Lines of values that name no epoch, by their first word: how many at most in one epoch.
  std::map<std::string, std::int64_t, std::less<>> values_in_epoch_, most_values_;
  std::vector<Seen> seen_;  ///< Until a counter is found.
  std::vector<TimedReading> ready_;
  const Shape* counter_ = nullptr;
  std::size_t order_ = 0;
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
