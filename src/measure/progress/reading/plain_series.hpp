// Lines of a program's own loop that one print statement writes: a series.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "src/measure/progress/reading/plain_line.hpp"

namespace epochcast::progress {

/// What a duration on lines of steps is, by how it goes on from one to the next: "step 10/90 loss
/// 0.5 (3.2 s)".
class StepTimes {
 public:
  enum class Of { unknown, step, since_begin_of_epoch, since_begin_of_run };

  /// The step's line; `same`: the one before was of the same epoch.
  void add(bool same, std::int64_t step, double duration_s);
  Of of() const;

 private:
  struct Print {
    std::int64_t step = 0;
    double time_s = 0;
  };
  Print first_, last_;      ///< Of an epoch.
  std::int64_t pairs_ = 0;  ///< Of prints of one epoch.
  std::int64_t widest_ = 0;
  bool rises_ = true;                             ///< Within epochs.
  bool as_steps_ = true, first_as_steps_ = true;  ///< It grows as the steps do; in the first epoch.
  std::int64_t epochs_ = 0;
  bool begins_again_ = false;
};

/// What is known of the lines of one shape.
struct PlainSeries {
  std::size_t order = 0;  ///< Of its first line.
  std::string shape;      ///< Of its first line.
  std::string tail;       ///< PlainLine::tail.
  LineRole role = LineRole::mention;
  LineRole role_of_counter = LineRole::mention;  ///< If its steps are its epochs once more.
  bool steps_are_epochs = false;                 ///< So far: "[2/4] epoch 2".
  bool evaluates = false;
  bool has_total = false;
  bool states_times = false;
  bool labelled = false;  ///< Words stand before the epoch.
  std::int64_t first = -1, last = -1;
  std::int64_t advances = 0, retreats = 0, repeats = 0;
  std::int64_t stride = 1;  ///< The last advance.
  double first_of_last_at_s = 0;
  double spread_s = 0;    ///< Longest time between lines of one number.
  double interval_s = 0;  ///< Longest time between the first lines of two numbers.
  std::int64_t least_step = -1;
  std::int64_t last_step = -1;
  std::int64_t steps_on = 0;  ///< Steps of one epoch, with their total, that went up.
  bool reaches_total = false;
  /// Lines state no total, and more steps than the one before, or those of the time they state.
  bool steps_grow = true;
  std::int64_t restated = 0;  ///< Retreats that a statement announced.
  StepTimes step_times;
  std::vector<NamedValue> values;
  bool repeats_values = false;  ///< Lines of one number have the same values.

  /// What its lines are.
  LineRole means() const { return steps_are_epochs && advances > 0 ? role_of_counter : role; }

  /// Lines of one number come at about the same time, as those of several processes do; without
  /// times, they have the same values.
  bool repeats_at_once() const {
    return interval_s > 0 ? spread_s < 0.2 * interval_s : repeats_values;
  }
};

/// Decides which series counts the epochs: its numbers go up, twice at least; it is about the
/// training rather than an evaluation, says the total, and begins with the epoch. What stands
/// before the epoch may change (another host, level, job, month): a new shape that only differs in
/// that, and whose first number is the one that a series comes to next, goes on with that series.
class PlainSeriesSet {
 public:
  /// A line that names an epoch. `labelled`: words stand before that; `announced`: a statement that
  /// the program counts again came before the line.
  void add(const PlainLine& line, bool labelled, double at_s, bool announced);
  bool empty() const { return series_.empty(); }
  /// nullptr: there is none.
  const PlainSeries* of(const PlainLine& line) const;
  const PlainSeries* counter(bool at_end) const;
  /// Whether lines of another series tell values of the training once in each epoch.
  bool another_ends(const PlainSeries& counter) const;

 private:
  PlainSeries* find_or_add(const PlainLine& line);

  std::deque<PlainSeries> series_;
  std::map<std::string, PlainSeries*, std::less<>> by_shape_;
};

}  // namespace epochcast::progress
