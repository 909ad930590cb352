#include <algorithm>

#include "src/measure/progress/row_builder.hpp"

namespace epochcast::progress {
namespace {

/// An evaluation that follows an epoch begins within this time, or is not counted to the epoch.
constexpr double settle_s = 1;
constexpr double longest_s = 1e9;

}  // namespace

/// How long an epoch waits for an evaluation after it. What earlier epochs had tells; the first
/// waits ten times as long as it took itself.
double RowBuilder::wait_for_evaluation_s() const {
  if (announced_) {
    return longest_s;  // the next heading ends it
  }
  if (evaluation_after_s_) {
    return std::max(settle_s, 2 * *evaluation_after_s_);
  }
  return std::max(settle_s, 10 * held_->wall_s);
}

void RowBuilder::evaluate(const Reading& reading, double at_s) {
  if (!begun_) {
    return;  // before the first epoch: part of the start-up
  }
  const bool just_begun = reading.step.value_or(0) == 0;
  if (evaluating_since_s_ && evaluation_whole_ && just_begun && reading.step) {
    close_evaluation({.epoch = reading.epoch}, at_s);
    evaluating_since_s_ = at_s;  // another one
  } else if (!evaluating_since_s_) {
    evaluating_since_s_ = just_begun && reading.step ? at_s : end_of_steps(at_s);
    at_s = std::max(at_s, *evaluating_since_s_);
    now_s_ = std::max(now_s_, at_s);
  }
  evaluation_whole_ = evaluation_whole_ || is_complete(reading);
  if (reading.step && !is_complete(reading)) {
    evaluation_whole_ = false;
  }
  if (open_ && reading.epoch.value_or(open_->epoch - offset_) + offset_ == open_->epoch) {
    open_->part = std::max(open_->part, reading.part.value_or(0));
  }
  if (reading.step || !evaluation_whole_) {
    last_end_s_ = at_s;
  }
  for (const auto& metric : reading.metrics) {
    set(evaluation_metrics_, metric);
  }
}

/// Where the training ended before an evaluation that is seen under way first.
double RowBuilder::end_of_steps(double at_s) const {
  const double from_s = last_seen_s();
  const auto missing = open_ ? open_->steps.value_or(0) - open_->step : 0;
  const bool within = last_stride_ > 0 ? missing >= last_stride_ : open_ && missing > open_->step;
  if (!open_ || !open_->steps || within) {
    return from_s;
  }
  const double until_s = from_s + missing_s();
  return timed_ ? std::min(until_s, at_s) : until_s;
}

void RowBuilder::close_evaluation(const Reading& next, double at_s) {
  const double end_s = evaluation_whole_ ? last_end_s_ : at_s;
  const double duration_s = std::max(0.0, end_s - *evaluating_since_s_);
  const bool within = open_ && !open_->whole() && !next.ends_epoch && !next.begins_epoch &&
                      next.epoch.value_or(open_->epoch - offset_) + offset_ == open_->epoch;
  const auto epoch = open_ ? open_->epoch : next_epoch_ - 1;
  if (duration_s > 0 && !repeats(epoch)) {
    rows_.spans.push_back({.name = within ? "evaluate_within" : "evaluate",
                           .epoch = epoch,
                           .start_s = *evaluating_since_s_,
                           .duration_s = duration_s});
  }
  for (const auto& [name, value] : evaluation_metrics_) {
    add_metric(epoch, name, value, within ? open_->step : 0);
  }
  if (open_) {
    open_->evaluate_s += duration_s;
  } else if (held_) {
    held_->evaluate_s += duration_s;
    evaluation_after_s_ = std::max(evaluation_after_s_.value_or(0), held_->evaluate_s);
  }
  if (last_print_) {
    last_print_->at_s = end_s;  // the steps after it do not take this time
  }
  last_end_s_ = end_s;
  evaluated_since_train_ = true;
  evaluation_whole_ = false;
  evaluating_since_s_.reset();
  evaluation_metrics_.clear();
}

}  // namespace epochcast::progress
