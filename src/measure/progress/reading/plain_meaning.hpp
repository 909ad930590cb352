// What the lines of a program's own loop mean, by all of them that have come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
  double after_s = 0;  ///< After the line before that this format looks at.
  bool timed = true;
  Restart before = {};

  /// It says where the training is.
  bool places() const {
    return line.role != LineRole::mention && (line.epoch >= 0 || line.role == LineRole::step);
  }
};

/// The lines as they come, each with what came before it.
class PlainLines {
 public:
  void hear(const Restart& restart) { restart_ = restart; }
  /// std::nullopt: it says nothing about an epoch.
  std::optional<PlainSeen> read(const Line& line);

 private:
  Restart restart_;
  double last_at_s_ = 0;
  std::optional<Phase> announced_;  ///< By the line before.
};

/// What the lines of the series that counts the epochs are.
enum class CounterLines {
  begin_epochs,
  end_epochs,
  steps,
  several,  ///< Each epoch has several, which neither begin nor end it.
};

/// Since when the times count that lines state as elapsed.
enum class ElapsedSince { begin_of_epoch, begin_of_run };

/// Which epoch a duration is of whose line names none.
enum class LooseDurations { of_epoch_before, of_epoch_after };

/// What the lines do not say by themselves: one answer for each question.
struct PlainMeaning {
  const PlainSeries* counter = nullptr;  ///< Counts the epochs.
  CounterLines lines = CounterLines::end_epochs;
  std::int64_t stride = 1;  ///< "Epoch 10", "Epoch 20": a line each tenth epoch.
  std::int64_t base = 0;    ///< What is printed for the first epoch.
  ElapsedSince elapsed = ElapsedSince::begin_of_epoch;
  LooseDurations durations = LooseDurations::of_epoch_before;
  bool evaluates = false;   ///< Lines of an epoch are about held-out data.
  bool duplicates = false;  ///< Several processes print the same line at about the same time.

  /// From here on, by lines of this series.
  void count_by(const PlainSeries& series);
  /// Whether an epoch begins with a line of the counter.
  bool begins() const {
    return lines == CounterLines::begin_epochs ||
           (lines == CounterLines::several && counter->means() == LineRole::heading);
  }
  bool ends() const { return lines == CounterLines::end_epochs; }
  /// The epoch of a number, from 0; std::nullopt: there is none before the first.
  std::optional<std::int64_t> from_zero(std::int64_t printed) const {
    return printed >= base ? std::optional(printed - base) : std::nullopt;
  }
  /// "Epoch 0/9" may be the first of 9 or of 10.
  std::optional<std::int64_t> total_of(const PlainLine& line) const {
    return base == 1 ? line.epochs : std::nullopt;
  }
};

/// Lines that name no epoch, by their shapes.
class LooseLines {
 public:
  /// `begun`: a line with an epoch came before it.
  void count(const PlainLine& line, bool begun);
  /// How many lines of values with these words before the number there were at most in one epoch.
  std::int64_t most_in_epoch(const std::string& words) const;
  /// Whether its unnamed time is the only one of each epoch.
  bool is_time_of_epoch(const PlainLine& line) const;
  bool has_unnamed_times() const { return !unnamed_times_.empty(); }
  /// Whether it tells a step: a word says so, or another line counts to the same total.
  bool is_step(const PlainLine& line) const;
  /// Its steps that are done: numbers from 0 that never reach the total are of steps that are.
  std::int64_t steps_done(const PlainLine& line) const;
  /// Whether there are steps below headings.
  bool any_steps() const { return any_steps_; }
  /// Steps count from their first one on before the first line with an epoch, and go on after it:
  /// that line ends an epoch. (In a log that was cut off at its begin, they come from later.)
  bool steps_come_first() const;
  /// Whether several steps of this shape stand before the first line with an epoch.
  bool came_first(const PlainLine& line) const;
  /// A duration stands before the first line with an epoch, and again after it.
  bool durations_come_first() const;

 private:
  struct Steps {
    std::int64_t first = 0, second = 0;
    std::int64_t lines = 0;
    std::optional<std::int64_t> first_after;  ///< The first line with an epoch.
  };
  void count_step(const PlainLine& line, bool begun);

  std::map<std::string, std::int64_t, std::less<>> in_epoch_, most_;
  std::map<std::string, Steps, std::less<>> steps_;  ///< Of those that came first.
  /// How the lines of a shape count steps.
  struct Count {
    std::int64_t last = 0, total = 0, least = 0;
    bool goes_on = false;  ///< Two lines count to the same total.
    bool reaches_total = false;
  };
  std::map<std::string, Count, std::less<>> counts_;
  bool any_steps_ = false;
  bool named_times_ = false;
  std::set<std::string, std::less<>> unnamed_times_;
  std::map<std::string, bool, std::less<>> durations_;  ///< The same; whether one came after.
};

/// std::nullopt: it is not known yet which series counts.
std::optional<PlainMeaning> plain_meaning(const PlainSeriesSet& series, const LooseLines& loose,
                                          const std::vector<PlainSeen>& lines, bool at_end);

}  // namespace epochcast::progress
