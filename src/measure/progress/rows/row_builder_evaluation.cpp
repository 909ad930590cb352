#include <algorithm>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {
namespace {

/// An evaluation that follows an epoch begins within this time, or is not counted to the epoch.
constexpr double settle_s = 1;
constexpr double longest_s = 1e9;

}  // namespace

/// How long an epoch waits for an evaluation after it. What earlier epochs had tells; the first
/// waits ten times as long as it took itself.
double RowBuilder::wait_for_evaluation_s() const {
  if (before_.announced) {
    return longest_s;  // the next heading ends it
  }
  if (before_.evaluation_s) {
    return std::max(settle_s, 2 * *before_.evaluation_s);
  }
  return std::max(settle_s, 10 * held_->wall_s);
}

void RowBuilder::evaluate(const Reading& reading, double at_s) {
  if (!numbers_.begun) {
    return;  // before the first epoch: part of the start-up
  }
  const bool just_begun = reading.step.value_or(0) == 0;
  if (evaluation_.since_s && evaluation_.whole && just_begun && reading.step) {
    close_evaluation({.epoch = reading.epoch}, at_s);
    evaluation_.since_s = at_s;  // another one
  } else if (!evaluation_.since_s) {
    const bool done = clock_.timed && open_ && open_->steps && open_->step > 0 &&
                      open_->missing() < std::max<std::int64_t>(1, steps_.stride);
    const bool begins = just_begun && reading.step && !done;
    evaluation_.since_s = begins || (only_begun() && !reading.clock_s) ? at_s : end_of_steps(at_s);
    if (clock_.timed && !clock_.unstamped && reading.duration_s) {
      evaluation_.since_s = std::max(*evaluation_.since_s, at_s - *reading.duration_s);
    }
    at_s = std::max(at_s, *evaluation_.since_s);
    times_.now_s = std::max(times_.now_s, at_s);
  }
  evaluation_.whole = evaluation_.whole || is_complete(reading);
  if (reading.step && !is_complete(reading)) {
    evaluation_.whole = false;
  }
  if (open_ &&
      reading.epoch.value_or(open_->epoch - numbers_.offset) + numbers_.offset == open_->epoch) {
    open_->part = std::max(open_->part, reading.part.value_or(0));
  }
  if (reading.step || !evaluation_.whole) {
    times_.ended_s = at_s;
  }
  for (const auto& metric : reading.metrics) {
    evaluation_.metrics.set(metric);
  }
}

/// The epoch was announced, and nothing shows how far it came.
bool RowBuilder::only_begun() const {
  return clock_.timed && open_ && open_->announced && open_->step == 0 && open_->part == 0 &&
         times_.trained_s == open_->start_s;
}

/// Where the training ended before an evaluation that is seen under way first.
double RowBuilder::end_of_steps(double at_s) const {
  const double from_s = times_.last_seen_s();
  const auto missing = open_ ? open_->steps.value_or(0) - open_->step : 0;
  const bool within = steps_.stride > 0 ? missing >= steps_.stride : open_ && missing > open_->step;
  if (!open_ || !open_->steps || within) {
    return from_s;
  }
  const double until_s = from_s + missing_s();
  return clock_.timed ? std::min(until_s, at_s) : until_s;
}

void RowBuilder::note_other(const Reading& reading, double at_s) {
  auto& others = times_.others;
  others.last_s = at_s;
  if (reading.phase == Phase::values) {
    others.values_s = others.values_s.value_or(at_s);
    others.last_values_s = at_s;
  }
}

/// Where the printed steps of the open epoch end, with those that its last print left out; of one
/// without a total, and without a print where the epochs before had their last: std::nullopt.
std::optional<double> RowBuilder::end_of_printed_s() const {
  if (!open_ || !steps_.last || open_->step < 1 || steps_.step_s <= 0) {
    return std::nullopt;
  }
  if (open_->steps) {
    return times_.last_seen_s() + steps_.step_s * static_cast<double>(open_->missing());
  }
  return open_->step < before_.last_step ? std::nullopt : std::optional(times_.last_seen_s());
}

/// What was printed after the steps of an epoch and before those of the next one is about an
/// evaluation if it tells values; else, and after an evaluation that is known, it is no epoch's
/// time. Lines among the next epoch's steps, as far as their rate leads back, are not meant.
void RowBuilder::leave_out_others(const Reading& next, double at_s) {
  constexpr double resolution_s = 1, likely = 0.7;
  const auto [last_s, values_s, last_values_s] = times_.others;
  const bool evaluated = evaluation_.since_train;
  const auto end_s = end_of_printed_s();
  if (!last_s || !end_s || !clock_.timed || clock_.unstamped || next.ends_epoch ||
      !(next.step || (next.begins_epoch && !evaluated))) {
    return;
  }
  const double stride_s =
      steps_.step_s * static_cast<double>(std::max<std::int64_t>(1, steps_.stride));
  const auto done = next.step.value_or(0) - (steps_.goes_on(next) ? steps_.last_printed : 0);
  const double begin_s =
      next.begins_epoch ? at_s : at_s - likely * steps_.step_s * static_cast<double>(done);
  const double from_s = evaluated ? times_.ended_s : *end_s;
  const double until_s = values_s && !evaluated && !open_->steps ? *last_values_s : *last_s;
  const double least_s = evaluated ? 0 : (open_->steps ? 0.5 : 1.5) * stride_s;
  if (until_s > begin_s + (clock_.coarse ? resolution_s : 0) ||
      until_s - from_s < resolution_s + least_s) {
    return;
  }
  if (values_s && !evaluated) {
    close_others(from_s, until_s);
  } else {
    end(from_s);
    times_.ended_s = until_s;
  }
}

/// After the steps of the last epoch, as after those before it: what comes later may be about the
/// run.
void RowBuilder::leave_out_last() {
  constexpr double alike = 1.5;
  const auto [last_s, values_s, last_values_s] = times_.others;
  const auto end_s = end_of_printed_s();
  const bool as_before = before_.evaluated && open_->step >= before_.last_step;
  if (values_s && end_s && as_before && !evaluation_.since_train && clock_.timed &&
      !clock_.unstamped && *values_s > *end_s) {
    const bool all = *last_values_s - *end_s <= alike * before_.evaluate_s;
    close_others(*end_s, all ? *last_values_s : *values_s);
  }
}

void RowBuilder::close_others(double since_s, double until_s) {
  evaluation_.since_s = since_s;
  evaluation_.whole = true;
  times_.ended_s = until_s;
  close_evaluation({.begins_epoch = true}, until_s);
}

void RowBuilder::close_evaluation(const Reading& next, double at_s) {
  const double end_s = evaluation_.whole ? times_.ended_s : at_s;
  const double duration_s = std::max(0.0, end_s - *evaluation_.since_s);
  const bool within =
      open_ && !open_->whole() && !next.ends_epoch && !next.begins_epoch &&
      next.epoch.value_or(open_->epoch - numbers_.offset) + numbers_.offset == open_->epoch;
  const auto epoch = open_ ? open_->epoch : numbers_.next - 1;
  if (duration_s > 0 && !numbers_.repeats(epoch)) {
    result_.rows.spans.push_back({.name = within ? "evaluate_within" : "evaluate",
                                  .epoch = epoch,
                                  .start_s = *evaluation_.since_s,
                                  .duration_s = duration_s});
  }
  for (const auto& [name, value] : evaluation_.metrics) {
    add_metric(epoch, name, value, within ? open_->step : 0);
  }
  if (open_) {
    open_->evaluate_s += duration_s;
  } else if (held_) {
    held_->evaluate_s += duration_s;
    before_.evaluation_s = std::max(before_.evaluation_s.value_or(0), held_->evaluate_s);
  }
  if (steps_.last) {
    steps_.last->at_s = end_s;  // the steps after it do not take this time
  }
  times_.ended_s = end_s;
  evaluation_.since_train = true;
  evaluation_.whole = false;
  evaluation_.since_s.reset();
  evaluation_.metrics.clear();
}

}  // namespace epochcast::progress
