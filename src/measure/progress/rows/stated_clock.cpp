#include "src/measure/progress/rows/stated_clock.hpp"

#include <algorithm>

namespace epochcast::progress {

/// A new bar that states more time than the one before, and far more than its own steps take,
/// counts on from it. Lightning before 1.7 draws such bars.
bool StatedClock::goes_on(const Reading& reading, const Place& place) const {
  constexpr double far = 10;
  const double elapsed_s = *reading.elapsed_s;
  const auto step = reading.step.value_or(0);
  if (reading.phase == Phase::evaluate || place.step < 1 || step < 1 ||
      elapsed_s <= train_elapsed_s_ || train_elapsed_s_ <= 0) {
    return false;
  }
  return elapsed_s / static_cast<double>(step) >
         far * train_elapsed_s_ / static_cast<double>(place.step);
}

double StatedClock::of_bar_s(const Reading& reading, const Place& place) {
  const bool evaluates = reading.phase == Phase::evaluate;
  const double elapsed_s = *reading.elapsed_s;
  const bool other_bar = evaluates ? !place.evaluating_since_s || elapsed_s < bar_elapsed_s_
                                   : !place.same || place.evaluating_since_s.has_value();
  bar_goes_on_ = bar_goes_on_ || goes_on(reading, place);
  if (other_bar && !bar_goes_on_) {
    bar_base_s_ = place.same && !evaluates && reading.epoch
                      ? std::max(place.start_s, place.now_s - elapsed_s)
                      : place.now_s + (place.evaluating_since_s ? 0 : place.missing_s);
  }
  bar_elapsed_s_ = elapsed_s;
  train_elapsed_s_ = evaluates ? train_elapsed_s_ : elapsed_s;
  return bar_base_s_ + elapsed_s;
}

double StatedClock::time_s(const Reading& reading, const Place& place) {
  const bool evaluates = reading.phase == Phase::evaluate;
  double time_s = place.now_s;
  if (reading.clock_s && !(evaluates && reading.duration_s)) {
    of_run_ = true;
    return std::max(time_s, *reading.clock_s);
  }
  if (reading.elapsed_s && reading.of_run) {
    of_run_ = true;
    return std::max(time_s, *reading.elapsed_s);
  }
  if (reading.elapsed_s) {
    time_s = std::max(time_s, of_bar_s(reading, place));
  }
  if (evaluates) {
    const double since_s = place.evaluating_since_s.value_or(place.now_s + place.missing_s);
    return reading.duration_s ? std::max(time_s, since_s + *reading.duration_s) : time_s;
  }
  if (reading.step && reading.step_s) {
    const auto before = place.same || place.counts_on ? place.printed : 0;
    time_s +=
        *reading.step_s * static_cast<double>(std::max<std::int64_t>(0, *reading.step - before)) +
        (place.same || place.counts_on || place.evaluating_since_s ? 0 : place.missing_s);
  }
  if (reading.duration_s) {
    const double start_s = place.same ? place.start_s + place.evaluate_s : place.now_s;
    time_s = std::max(time_s, start_s + *reading.duration_s + reading.evaluation_s.value_or(0));
  }
  return time_s;
}

}  // namespace epochcast::progress
