#include <algorithm>
#include <cmath>

#include "src/measure/progress/row_builder.hpp"

namespace epochcast::progress {

/// A new attempt: what was open is lost, and the time until it began is no epoch's.
void RowBuilder::restart(const Reading& reading, double at_s) {
  const auto epoch = *reading.epoch + offset_;
  const bool silent =
      reading.restart.silence_s > 10 && reading.restart.silence_s > (at_s - last_seen_s()) / 2;
  if (open_ && (open_->whole() ||
                (silent && epoch == open_->epoch + 1 && open_->step >= last_step_before_))) {
    end(std::max(last_train_s_ + (evaluated_since_train_ ? 0 : missing_s()), last_end_s_));
  }
  const auto next = open_ ? open_->epoch : next_epoch_;
  const bool repeats_some =
      epoch < next_epoch_ && (!open_ || epoch < open_->epoch || !reading.step ||
                              *reading.step <= open_->step || last_raw_step_ == 0);
  if (epoch > next || !(repeats_some || silent)) {
    return;  // the statement was about something else
  }
  const auto done = open_ ? open_->epoch : next_epoch_;
  release();
  open_.reset();
  last_print_.reset();
  delivered_ = std::max(delivered_, done);
  next_epoch_ = epoch;
  resumes_ = true;
  last_end_s_ = std::max(last_end_s_, std::min(at_s, reading.restart.at_s - lost_s_));
  last_train_s_ = last_end_s_;
  counted_from_ = 0;
  last_raw_step_ = 0;
}

void RowBuilder::drop_open() {
  const auto of_open = [&](const auto& row) { return row.epoch == open_->epoch; };
  std::erase_if(rows_.iterations, of_open);
  std::erase_if(rows_.metrics, of_open);
  std::erase_if(rows_.spans, of_open);
  next_epoch_ = open_->epoch;
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
  if (reading.step && counts_on_ && last_stride_ > 0) {
    return last_step_s_ * static_cast<double>(last_stride_);
  }
  const auto steps = delivered_steps_;
  if (reading.step && steps > 0) {
    return delivered_wall_s_ * static_cast<double>(*reading.step) / static_cast<double>(steps);
  }
  return reading.part ? *reading.part * delivered_wall_s_ : unknown_s;
}

/// The lines of a log state how long its epochs took, and their stamps agree, but for this one: the
/// program stood still (its job was suspended, or another one went on), which is no epoch's time.
double RowBuilder::without_pause(const Reading& reading, double at_s) {
  constexpr double rounding_s = 1.5;
  constexpr double alike = 0.1;
  constexpr double clearly = 2;
  constexpr std::int64_t some = 2;
  if (!begins_anywhere_ || !timed_ || !reading.ends_epoch || !reading.duration_s) {
    return at_s;
  }
  const double stated_s =
      *reading.duration_s + std::max(reading.evaluation_s.value_or(0), open_->evaluate_s);
  const double shown_s = at_s - open_->start_s;
  if (std::abs(shown_s - stated_s) < rounding_s + alike * stated_s) {
    ++agreements_;
  }
  const double pause_s = shown_s - stated_s;
  if (agreements_ < some || pause_s < clearly * stated_s || pause_s < 10 * rounding_s) {
    return at_s;
  }
  lost_s_ += pause_s;
  for (auto* time_s : {&last_end_s_, &last_train_s_, &last_read_s_, &now_s_}) {
    *time_s = std::min(*time_s, at_s - pause_s);
  }
  return at_s - pause_s;
}

/// Where the clock is that of a log, the time between attempts does not count on it.
void RowBuilder::leave_out_lost_time(double& start_s) {
  if (begins_anywhere_ && delivered_end_s_) {
    const double lost_s = std::max(0.0, start_s - *delivered_end_s_);
    lost_s_ += lost_s;
    unapplied_s_ = lost_s;
    for (auto* time_s : {&start_s, &last_end_s_, &last_train_s_, &last_read_s_, &now_s_}) {
      *time_s -= lost_s;
    }
  }
  resumes_ = false;
}

}  // namespace epochcast::progress
