// A count of the whole run that begins again: another fold, fit() or learn() in one program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

/// Rounds that a line numbers from the start of the run, or its steps, begin again where they come
/// back to the number that they began with and go on from there; an earlier number alone is a
/// mention ("best iteration is: [85]"). Then the epochs are counted on (Statement::new_phase), and
/// so is the clock that the program states. Steps of a run that was not at its end are a conflict:
/// whether they repeat what was, nobody says.
class Recount {
 public:
  /// The readings that are understood with this one, in their order: it may wait for the next.
  std::vector<TimedReading> add(TimedReading next);
  /// What still waits: nothing goes on from it.
  std::vector<TimedReading> finish() { return let_go(); }

 private:
  std::vector<TimedReading> let_go();
  void begin_again(std::int64_t count);
  void count_clock_on(Reading& reading);

  std::optional<std::int64_t> first_, last_;
  std::optional<std::int64_t> epoch_;  ///< Of the last line of the training.
  bool whole_ = false;                 ///< The run was at its end.
  bool again_ = false;                 ///< It began again, and no clock was stated since.
  double clock_s_ = 0;                 ///< The last that the program stated, counted on.
  double clock_base_s_ = 0;
  std::vector<TimedReading> waiting_;  ///< From the one with the earlier number on.
};

}  // namespace epochcast::progress
