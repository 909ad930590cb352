#include "src/measure/progress/rows/row_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/measure/progress/rows/begins.hpp"
#include "src/measure/progress/rows/whole_run.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_waiting = 8192;

}  // namespace

void RowBuilder::read(const Reading& found, std::optional<double> at_s,
                      std::optional<double> since_s) {
  const auto checked = possible(found);
  if (!checked || !conflict_.empty()) {
    return;
  }
  const auto& reading = *checked;
  if (reading.phase == Phase::other || reading.phase == Phase::values) {
    if (at_s && since_s.value_or(*at_s) == *at_s) {
      note_other(reading, *at_s - run_.lost.sum_s);
    }
    return;
  }
  if (!at_s && reading.states_duration) {
    run_.clock.timed = false;
    state_duration(reading);
    return;
  }
  run_.clock.coarse = run_.clock.coarse && (!at_s || *at_s == std::floor(*at_s));
  // A stamp of the program's own may be older than the last tick.
  const double time_s =
      std::max(run_.times.read_s,
               run_.clock.time_s(reading, at_s, since_s, run_.lost.sum_s, place(reading)));
  run_.times.read_s = time_s;
  tick(time_s);
  if (reading.epochs && (run_.numbers.offset == 0 || *reading.epochs > 1)) {
    run_.position.epochs = *reading.epochs + run_.numbers.offset;
  }
  if (reading.states_duration) {  // the times of the lines are known
    if (run_.open) {
      run_.open->part = 1;
      run_.times.trained_s = time_s;
    }
    return;
  }
  if (reading.phase == Phase::evaluate) {
    evaluate(reading, time_s);
  } else {
    train(reading, time_s);
  }
  run_.times.others = {};
}

StatedClock::Place RowBuilder::place(const Reading& reading) const {
  StatedClock::Place place{.now_s = run_.times.now_s,
                           .missing_s = missing_s(run_),
                           .evaluating_since_s = run_.evaluation.since_s};
  if (run_.open) {
    place.same = !reading.epoch || *reading.epoch + run_.numbers.offset == run_.open->epoch;
    place.counts_on = !place.same && run_.steps.goes_on(reading);
    place.start_s = run_.open->start_s;
    place.evaluate_s = run_.open->evaluate_s;
    place.step = run_.open->step;
    place.printed =
        run_.steps.last ? run_.steps.last->step + run_.steps.counted_from : run_.open->step;
  }
  return place;
}

/// "Epoch time: 148 s" on a line of its own, about the epoch that is open or has just ended.
void RowBuilder::state_duration(const Reading& reading) {
  const double duration_s = reading.duration_s.value_or(0);
  ++run_.before.durations_stated;
  if (run_.evaluation.since_s && run_.evaluation.whole) {
    close_evaluation({.epoch = reading.epoch}, run_.times.now_s);
  }
  if (run_.open) {
    run_.open->evaluate_s += reading.evaluation_s.value_or(0);
    if (run_.open->lasts_s && *run_.open->lasts_s != duration_s) {
      conflict_ = "without stamps, an epoch has two durations";
      return;
    }
    run_.open->part = 1;
    run_.open->lasts_s = run_.clock.timed ? std::nullopt : std::optional(duration_s);
    run_.times.now_s =
        std::max(run_.times.now_s, run_.open->start_s + run_.open->evaluate_s + duration_s);
    run_.times.trained_s = run_.times.now_s;
    run_.evaluation.since_train = false;
  } else if (held_ && held_->wall_s == 0) {
    held_->wall_s = duration_s;
    run_.before.durations_taken += run_.clock.timed ? 0 : 1;
    held_->evaluate_s += reading.evaluation_s.value_or(0);
    run_.times.now_s = std::max(run_.times.now_s, held_->start_s + held_->evaluate_s + duration_s);
    run_.times.ended_s = run_.times.now_s;
  }
  run_.times.read_s = run_.times.now_s;
}

void RowBuilder::tick(double at_s) {
  run_.times.now_s = std::max(run_.times.now_s, at_s);
  if (run_.clock.timed && held_ && !run_.evaluation.since_s && !run_.options.begin_anywhere &&
      !run_.first.after_first_batch &&
      run_.times.now_s - run_.times.ended_s >= wait_for_evaluation_s(run_.before, held_->wall_s)) {
    release();
  }
}

std::int64_t RowBuilder::number_of(const Reading& reading) {
  if (!reading.epoch) {
    return run_.open ? run_.open->epoch : run_.numbers.next;
  }
  const bool behind = *reading.epoch + run_.numbers.offset < run_.numbers.next;
  const bool attempt = reading.restart.what == Statement::new_attempt;
  if (run_.numbers.begun && !attempt && behind &&
      (reading.restart.what == Statement::new_phase || begins_again(reading))) {
    if (run_.open && run_.open->step > 0 && !run_.open->whole() &&
        (run_.before.states_ends || run_.open->step < run_.before.last_step)) {
      drop_open();  // the program did not come to its end
    }
    run_.numbers.offset = run_.numbers.next - reading.since_epoch.value_or(*reading.epoch);
    run_.position.epochs = reading.epochs && *reading.epochs > 1
                               ? std::optional(*reading.epochs + run_.numbers.offset)
                               : std::nullopt;
  }
  return *reading.epoch + run_.numbers.offset;
}

bool RowBuilder::begins_again(const Reading& reading) const {
  const auto epoch = reading.epoch.value_or(0) + run_.numbers.offset;
  return reading.begins_epoch && reading.epoch && epoch < run_.numbers.next &&
         (!run_.open || run_.open->epoch != epoch || run_.open->step > 0);
}

/// Whether an earlier epoch than the last comes without a word about it: then the numbers cannot be
/// trusted. Values for an epoch that is over are allowed.
bool RowBuilder::falls_back(const Reading& reading, std::int64_t epoch) {
  const auto last = run_.open ? run_.open->epoch : run_.numbers.next - 1;
  const bool places = reading.step || (reading.part && !reading.ends_epoch);
  if (!run_.numbers.begun || epoch >= last || !places || reading.of_run || !reading.epoch) {
    return false;
  }
  conflict_ = falls_back_to(*reading.epoch);
  return true;
}

/// Whether one epoch that is over ends again, and then the next one, with a time between them:
/// another run prints into the same output. A table of all epochs comes at once.
bool RowBuilder::runs_again(const Reading& reading, std::int64_t epoch, double at_s) {
  if (!run_.clock.timed || !reading.ends_epoch || !reading.epoch ||
      epoch + 1 >= run_.numbers.next) {
    return false;
  }
  const auto before = std::exchange(run_.before.over, StepPrint{.step = epoch, .at_s = at_s});
  if (!before || before->step + 1 != epoch || at_s - before->at_s < run_.before.wall_s / 2) {
    return false;
  }
  conflict_ = falls_back_to(*reading.epoch);
  return true;
}

std::string RowBuilder::falls_back_to(std::int64_t epoch) const {
  const auto last = run_.open ? run_.open->epoch : run_.numbers.next - 1;
  return fmt::format("the epoch falls back from {} to {}", last - run_.numbers.offset, epoch);
}

void RowBuilder::train(const Reading& reading, double at_s) {
  if (run_.evaluation.since_s) {
    close_evaluation(reading, reading.restart.what == Statement::new_attempt
                                  ? end_of_attempt_s(run_, reading.restart, at_s)
                                  : at_s);
  }
  if (run_.numbers.begun && reading.restart.what == Statement::new_attempt && reading.epoch) {
    restart(reading, at_s);
    if (!conflict_.empty()) {
      return;
    }
  }
  if (reading.drops_open && run_.open) {
    drop_open();
  }
  const auto epoch = number_of(reading);
  if (falls_back(reading, epoch)) {
    return;
  }
  const bool is_over = epoch < run_.numbers.next && (!run_.open || epoch < run_.open->epoch);
  if (is_over && runs_again(reading, epoch, at_s)) {
    return;
  }
  if (is_over || (reading.ends_run && !reading.ends_epoch)) {
    add_metrics(reading, epoch);
    // "done" within the steps of an epoch: the program came to its end, or broke, before theirs.
    const bool cut = run_.open && reading.metrics.empty() && run_.open->step > 0 &&
                     run_.open->step < run_.before.last_step;
    if (reading.ends_run && run_.open && (run_.open->whole() || (reading.part == 1 && !cut))) {
      end(run_.evaluation.since_train ? run_.times.ended_s : at_s);
    }
    return;
  }
  if (!run_.open || run_.open->epoch != epoch) {
    if (const auto between = between_epochs(run_, reading, at_s)) {
      leave_out(*between);
    }
    change_epoch(epoch, reading, at_s);
    at_s -= std::exchange(run_.lost.unapplied_s, 0);
  }
  if (reading.step) {
    step(reading, at_s);
  } else if (reading.part && run_.first.print) {
    lead_back(*reading.part, at_s);
  }
  run_.open->part = std::max(run_.open->part, reading.part.value_or(0));
  if (reading.samples && reading.ends_epoch) {
    run_.open->samples = *reading.samples;
  }
  if (run_.clock.unstamped && is_complete(reading) && !reading.of_run) {
    run_.open->stated_s = reading.elapsed_s;
  }
  const auto steps_end_s = reading.covers_evaluation ? end_of_printed_s(run_) : std::nullopt;
  if (steps_end_s && *steps_end_s < at_s && !run_.evaluation.since_train) {
    leave_out({.evaluation = true, .from_s = *steps_end_s, .until_s = at_s});
  }
  const double within_s = reading.covers_evaluation ? run_.open->evaluate_s : 0;
  if (!run_.clock.timed && reading.ends_epoch && reading.duration_s) {
    run_.open->lasts_s = *reading.duration_s - within_s;
  }
  if (run_.clock.coarse && run_.clock.timed && run_.options.begin_anywhere && reading.ends_epoch &&
      reading.duration_s && *reading.duration_s != std::floor(*reading.duration_s)) {
    run_.open->exact_s = *reading.duration_s - within_s;
  }
  if (run_.first.print && run_.clock.timed && reading.ends_epoch && reading.duration_s) {
    begin_first_at(stated_begin_s(run_.options, reading, at_s, run_.first.print->at_s));
  }
  if (reading.evaluation_s && run_.open->evaluate_s == 0) {
    run_.open->evaluate_s =
        std::min(*reading.evaluation_s, std::max(0.0, at_s - run_.open->start_s));
  }
  add_metrics(reading, epoch);
  at_s = without_pause(reading, at_s);
  run_.times.trained_s = at_s;
  run_.evaluation.since_train = run_.evaluation.since_train && reading.ends_epoch;
  if (reading.ends_epoch) {
    run_.before.states_ends = true;
    end(at_s);
  }
}

void RowBuilder::add_metrics(const Reading& reading, std::int64_t epoch) {
  const bool open = run_.open && run_.open->epoch == epoch;
  for (const auto& metric : reading.metrics) {
    if (reading.running && open) {
      run_.open->metrics.set(metric);
    } else if (reading.part && !reading.step && open) {
      if (!full(run_.open->of_parts.size())) {
        run_.open->of_parts.emplace_back(*reading.part, metric);
      }
    } else if (reading.ends_run && !reading.ends_epoch) {
      add_metric(-1, metric.name, metric.value, 0);
    } else {
      const bool of_step = reading.step && !reading.ends_epoch;
      const auto step = of_step ? *reading.step - (open ? run_.steps.counted_from : 0) : 0;
      add_metric(epoch, metric.name, metric.value, std::max<std::int64_t>(step, of_step ? 1 : 0));
    }
  }
}

void RowBuilder::add_metric(std::int64_t epoch, const std::string& name, double value,
                            std::int64_t step) {
  if (!full(rows_.metrics.size()) && (epoch < 0 || !run_.numbers.repeats(epoch))) {
    rows_.metrics.push_back({.epoch = epoch, .name = name, .value = value, .iteration = step});
  }
}

bool RowBuilder::full(std::size_t rows) const {
  return !run_.options.keep_all && rows >= most_waiting;
}

bool RowBuilder::knows_times() const {
  return (held_ && held_->wall_s > 0) ||
         std::ranges::any_of(rows_.epochs, [](const auto& row) { return row.wall_s > 0; });
}

Rows RowBuilder::take() {
  return std::exchange(rows_, {});
}

void RowBuilder::finish() {
  if (run_.evaluation.since_s) {
    // Its result may be a line of no format.
    const auto result_s = run_.clock.timed ? run_.times.others.values_s : std::nullopt;
    close_evaluation({.begins_epoch = true}, result_s.value_or(run_.times.now_s));
  }
  if (const auto evaluation = run_.open || held_ ? after_last(run_) : std::nullopt) {
    leave_out(*evaluation);
  }
  if (const auto end_s = run_.open ? end_of_last_s(run_) : std::nullopt) {
    end(*end_s);
  }
  release();
  take_total(rows_, run_);
  doubt_first(rows_, run_);
  leave_out_test(rows_, run_);
  undo_running_sums(rows_, run_);
  shifted_s_ = count_from_first(rows_, run_);
}

}  // namespace epochcast::progress
