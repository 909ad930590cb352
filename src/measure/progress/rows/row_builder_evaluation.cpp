#include <algorithm>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

void RowBuilder::evaluate(const Reading& reading, double at_s) {
  if (!run_.numbers.begun) {
    run_.first.not_before_s = at_s;
    return;  // before the first epoch: part of the start-up
  }
  const bool just_begun = reading.step.value_or(0) == 0;
  if (run_.evaluation.since_s && run_.evaluation.whole && just_begun && reading.step) {
    close_evaluation({.epoch = reading.epoch}, at_s);
    run_.evaluation.since_s = at_s;  // another one
  } else if (!run_.evaluation.since_s) {
    const bool done = run_.clock.timed && run_.open && run_.open->steps && run_.open->step > 0 &&
                      run_.open->missing() < std::max<std::int64_t>(1, run_.steps.stride);
    const double steps_end_s = end_of_steps(run_, at_s);
    // By a line of its own, not by its first batch, and about when the last steps were done.
    const bool announced =
        reading.steps.value_or(1) == 1 &&
        at_s - steps_end_s <= std::max(1.0, steps_end_s - run_.times.last_seen_s());
    const bool begins = just_begun && reading.step && (announced || !done);
    run_.evaluation.since_s = begins || (only_begun() && !reading.clock_s) ? at_s : steps_end_s;
    if (run_.clock.timed && !run_.clock.unstamped && reading.duration_s) {
      run_.evaluation.since_s = std::max(*run_.evaluation.since_s, at_s - *reading.duration_s);
    }
    at_s = std::max(at_s, *run_.evaluation.since_s);
    run_.times.now_s = std::max(run_.times.now_s, at_s);
  }
  run_.evaluation.whole = run_.evaluation.whole || is_complete(reading);
  if (reading.step && !is_complete(reading)) {
    run_.evaluation.whole = false;
  }
  if (run_.open &&
      reading.epoch.value_or(run_.open->epoch - run_.numbers.offset) + run_.numbers.offset ==
          run_.open->epoch) {
    run_.open->part = std::max(run_.open->part, reading.part.value_or(0));
  }
  if (reading.step || !run_.evaluation.whole) {
    run_.times.ended_s = at_s;
  }
  for (const auto& metric : reading.metrics) {
    run_.evaluation.metrics.set(metric);
  }
}

/// The epoch was announced, and nothing shows how far it came.
bool RowBuilder::only_begun() const {
  return run_.clock.timed && run_.open && run_.open->announced && run_.open->step == 0 &&
         run_.open->part == 0 && run_.times.trained_s == run_.open->start_s;
}

void RowBuilder::note_other(const Reading& reading, double at_s) {
  auto& others = run_.times.others;
  others.last_s = at_s;
  if (reading.phase == Phase::values) {
    others.values_s = others.values_s.value_or(at_s);
    others.last_values_s = at_s;
  }
}

void RowBuilder::leave_out(const Between& between) {
  if (!between.evaluation) {
    end(between.from_s);
    run_.times.ended_s = between.until_s;
    return;
  }
  run_.evaluation.since_s = between.from_s;
  run_.evaluation.whole = true;
  run_.times.ended_s = between.until_s;
  close_evaluation({.begins_epoch = true}, between.until_s);
}

void RowBuilder::close_evaluation(const Reading& next, double at_s) {
  const double end_s = run_.evaluation.whole ? run_.times.ended_s : at_s;
  const double duration_s = std::max(0.0, end_s - *run_.evaluation.since_s);
  const bool within =
      run_.open && !run_.open->whole() && !next.ends_epoch && !next.begins_epoch &&
      next.epoch.value_or(run_.open->epoch - run_.numbers.offset) + run_.numbers.offset ==
          run_.open->epoch;
  const auto epoch = run_.open ? run_.open->epoch : run_.numbers.next - 1;
  if (duration_s > 0 && !run_.numbers.repeats(epoch)) {
    rows_.spans.push_back({.name = within ? "evaluate_within" : "evaluate",
                           .epoch = epoch,
                           .start_s = *run_.evaluation.since_s,
                           .duration_s = duration_s});
  }
  for (const auto& [name, value] : run_.evaluation.metrics) {
    add_metric(epoch, name, value, within ? run_.open->step : 0);
  }
  if (run_.open) {
    run_.open->evaluate_s += duration_s;
  } else if (held_) {
    held_->evaluate_s += duration_s;
    run_.before.evaluation_s = std::max(run_.before.evaluation_s.value_or(0), held_->evaluate_s);
  }
  if (run_.steps.last) {
    run_.steps.last->at_s = end_s;  // the steps after it do not take this time
  }
  run_.times.ended_s = end_s;
  run_.evaluation.since_train = true;
  run_.evaluation.whole = false;
  run_.evaluation.since_s.reset();
  run_.evaluation.metrics.clear();
}

}  // namespace epochcast::progress
