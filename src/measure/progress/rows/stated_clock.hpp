// The clock of a log whose lines have no times of their own.
#pragma once

#include <cstdint>
#include <optional>

#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

/// Decides when a line was printed from what the program states in it: a clock of its own, the time
/// since the start of the run or of a bar, how long a step, an epoch or an evaluation took. What is
/// stated of a bar counts from where the bar began; steps that were not printed take as long as
/// those before.
class StatedClock {
 public:
  /// What is known when the line comes.
  struct Place {
    double now_s = 0;
    bool same = false;                   ///< The line is about the epoch that is open.
    double start_s = 0, evaluate_s = 0;  ///< Of the epoch that is open, as what follows.
    std::int64_t step = 0;
    bool counts_on = false;    ///< The line is about another epoch, and its step goes on from it.
    std::int64_t printed = 0;  ///< The last step printed, as the program counts.
    double missing_s = 0;      ///< How long the steps take that were not printed.
    std::optional<double> evaluating_since_s;
  };

  /// Not before `now_s`.
  double time_s(const Reading& reading, const Place& place);
  void begin_epoch(double start_s) { bar_base_s_ = start_s; }

  /// Stated times are those of the run, so they pass for all epochs.
  bool is_of_run() const { return of_run_; }
  /// The time of a bar is that of the run.
  bool bar_goes_on() const { return bar_goes_on_; }

 private:
  bool goes_on(const Reading& reading, const Place& place) const;
  double of_bar_s(const Reading& reading, const Place& place);

  bool of_run_ = false;
  bool bar_goes_on_ = false;
  double bar_base_s_ = 0;     ///< Where the stated time of a bar counts from.
  double bar_elapsed_s_ = 0;  ///< The last one.
  double train_elapsed_s_ = 0;
};

}  // namespace epochcast::progress
