#include <algorithm>
#include <cmath>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// A new attempt: what was open is lost, and the time until it began is no epoch's.
void RowBuilder::restart(const Reading& reading, double at_s) {
  const auto epoch = *reading.epoch + numbers_.offset;
  const bool silent = reading.restart.silence_s > 10 &&
                      reading.restart.silence_s > (at_s - times_.last_seen_s()) / 2;
  if (open_ && (open_->whole() ||
                (silent && epoch == open_->epoch + 1 && open_->step >= before_.last_step))) {
    end(std::max(times_.trained_s + (evaluation_.since_train ? 0 : missing_s()), times_.ended_s));
  }
  const auto next = open_ ? open_->epoch : numbers_.next;
  const bool repeats_some =
      epoch < numbers_.next && (!open_ || epoch < open_->epoch || !reading.step ||
                                *reading.step <= open_->step || steps_.last_printed == 0);
  if (epoch > next || !(repeats_some || silent)) {
    return;  // the statement was about something else
  }
  const auto& rows = result_.rows.epochs;
  if (std::isinf(reading.restart.silence_s) && !rows.empty() && epoch <= rows.front().epoch) {
    result_.conflict = falls_back_to(*reading.epoch);  // a run of its own, and no line says so
    return;
  }
  const auto done = open_ ? open_->epoch : numbers_.next;
  release();
  open_.reset();
  numbers_.done = std::max(numbers_.done, done);
  numbers_.next = epoch;
  lost_.resumes = true;
  times_.ended_s = std::max(times_.ended_s, std::min(at_s, reading.restart.at_s - lost_.sum_s));
  times_.trained_s = times_.ended_s;
  steps_.begin_again();
}

/// Where the output of the attempt before ended.
double RowBuilder::end_of_attempt_s(const Restart& restart, double at_s) const {
  const double end_s = restart.at_s - restart.silence_s - lost_.sum_s;
  return std::clamp(end_s, times_.last_seen_s(), std::max(at_s, times_.last_seen_s()));
}

void RowBuilder::drop_open() {
  const auto of_open = [&](const auto& row) { return row.epoch == open_->epoch; };
  std::erase_if(result_.rows.iterations, of_open);
  std::erase_if(result_.rows.metrics, of_open);
  std::erase_if(result_.rows.spans, of_open);
  numbers_.next = open_->epoch;
  open_.reset();
}

/// How long a new attempt had been training when it printed this, as the epoch before went.
double RowBuilder::lead_s(const Reading& reading) const {
  constexpr double unknown_s = 1e9;
  if (reading.ends_epoch) {
    return reading.duration_s.value_or(unknown_s);
  }
  if (reading.elapsed_s && !reading.of_run) {
    return *reading.elapsed_s;
  }
  if (reading.step && steps_.counts_on && steps_.stride > 0) {
    return steps_.step_s * static_cast<double>(steps_.stride);
  }
  const auto steps = before_.steps;
  if (reading.step && steps > 0) {
    return before_.wall_s * static_cast<double>(*reading.step) / static_cast<double>(steps);
  }
  return reading.part ? *reading.part * before_.wall_s : unknown_s;
}

/// The lines of a log state how long its epochs took, and their stamps agree, but for this one: the
/// program stood still (its job was suspended, or another one went on), which is no epoch's time.
double RowBuilder::without_pause(const Reading& reading, double at_s) {
  constexpr double rounding_s = 1.5;
  constexpr double alike = 0.1;
  constexpr double clearly = 2;
  constexpr std::int64_t some = 2;
  if (!options_.begin_anywhere || !clock_.timed || !reading.ends_epoch || !reading.duration_s) {
    return at_s;
  }
  const double stated_s =
      *reading.duration_s + std::max(reading.evaluation_s.value_or(0), open_->evaluate_s);
  const double shown_s = at_s - open_->start_s;
  if (std::abs(shown_s - stated_s) < rounding_s + alike * stated_s) {
    ++lost_.agreements;
  } else if (shown_s > 10 * stated_s) {
    ++lost_.far_apart;
  }
  const double pause_s = shown_s - stated_s;
  if (lost_.agreements < some || pause_s < clearly * stated_s || pause_s < 10 * rounding_s) {
    return at_s;
  }
  lost_.sum_s += pause_s;
  times_.not_after(at_s - pause_s);
  return at_s - pause_s;
}

/// Where the clock is that of a log, the time between attempts does not count on it.
void RowBuilder::leave_out_lost_time(double& start_s) {
  if (options_.begin_anywhere && before_.end_s) {
    const double lost_s = std::max(0.0, start_s - *before_.end_s);
    lost_.sum_s += lost_s;
    lost_.unapplied_s = lost_s;
    start_s -= lost_s;
    times_.take_back(lost_s);
  }
  lost_.resumes = false;
}

}  // namespace epochcast::progress
