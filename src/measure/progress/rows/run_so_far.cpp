#include "src/measure/progress/rows/run_so_far.hpp"

#include <cmath>
#include <utility>

namespace epochcast::progress {

void LastValues::set(const NamedValue& value) {
  constexpr std::size_t most_names = 64;
  if (values_.size() < most_names || values_.contains(value.name)) {
    values_[value.name] = value.value;
  }
}

double LineClock::time_s(const Reading& reading, std::optional<double> at_s,
                         std::optional<double> since_s, double taken_off_s,
                         const StatedClock::Place& place) {
  timed = at_s.has_value();
  unstamped = at_s && since_s && *since_s < *at_s;
  if (!timed) {
    return stated.time_s(reading, place);
  }
  const double time_s = *at_s - taken_off_s;
  const bool states = reading.elapsed_s || reading.step_s || reading.clock_s;
  guesses = guesses || (unstamped && !states);
  if (!unstamped || !states) {
    return time_s;
  }
  const double earliest_s = time_s - (*at_s - *since_s);
  return std::min(time_s, std::max(earliest_s, stated.time_s(reading, place)));
}

void ReadTimes::take_back(double by_s) {
  for (auto* time_s : {&now_s, &read_s, &trained_s, &ended_s}) {
    *time_s -= by_s;
  }
}

void ReadTimes::not_after(double at_s) {
  for (auto* time_s : {&now_s, &read_s, &trained_s, &ended_s}) {
    *time_s = std::min(*time_s, at_s);
  }
}

bool PrintedSteps::goes_on(const Reading& next) const {
  if (!next.step || next.of_run || last_printed == 0 || *next.step <= last_printed) {
    return false;
  }
  const bool of_epoch = next.steps && *next.step <= *next.steps && last_printed >= *next.steps;
  return !of_epoch && (!next.steps || counts_on || last_printed * 10 < *next.steps * 9);
}

bool PrintedSteps::begin_again_within(std::int64_t done) {
  const auto before = std::exchange(fell_to, {});
  if (!last || done >= last->step) {
    return before && done == last->step;
  }
  if (done <= stride && done + 2 * stride <= last->step) {
    fell_to = done;
  }
  return before && done > *before;
}

bool PrintedSteps::stands_first(const Reading& next) const {
  return goes_on(next) && first_printed == 1 && stride > 1 && last_printed % stride == 1 &&
         *next.step - last_printed == stride;
}

void PrintedSteps::add(std::int64_t done, double at_s) {
  if (last && done <= last->step) {
    return;
  }
  if (last) {
    stride = done - last->step;
  }
  if (!last || at_s > last->at_s) {
    first_of_time = StepPrint{.step = done, .at_s = at_s};
  }
  last = StepPrint{.step = done, .at_s = at_s};
}

void PrintedSteps::leave_out(std::int64_t steps) {
  counted_from += steps;
  for (auto* print : {&last, &first_of_time}) {
    if (*print) {
      (*print)->step -= steps;
    }
  }
}

void PrintedSteps::begin_again() {
  last.reset();
  counted_from = 0;
  last_printed = 0;
}

bool FirstEpoch::shows_rate(double done, double at_s) const {
  constexpr double many = 5, close_s = 10;
  const bool coarse = print->at_s == std::floor(print->at_s) && at_s == std::floor(at_s);
  return !coarse || at_s - print->at_s >= close_s || done >= many * print->done;
}

bool FirstEpoch::lacks_steps(std::int64_t done, double at_s, std::int64_t last_step) const {
  constexpr double late = 1.5;  // prints
  const auto stride = static_cast<double>(done - last_step);
  const double rate_s = (at_s - print->at_s) / (static_cast<double>(done) - print->done);
  return print->done > late * stride &&
         print->at_s - rate_s * print->done < -late * stride * rate_s;
}

}  // namespace epochcast::progress
