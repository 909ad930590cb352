#include <algorithm>
#include <cmath>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

void RowBuilder::change_epoch(std::int64_t epoch, const Reading& reading, double at_s) {
  const bool shares = clock_.timed || clock_.stated.is_of_run();
  if (open_ && epoch > open_->epoch + 1 && shares) {
    begin_by_parts(epoch, reading, at_s);
    const double from_s = open_->start_s;
    const double done = part_done(reading);
    const auto epochs = static_cast<double>(epoch - open_->epoch);
    end_several(epoch,
                reading.begins_epoch ? at_s : from_s + (at_s - from_s) * epochs / (epochs + done));
  } else if (open_) {
    if (steps_.goes_on(reading)) {
      const bool known = open_->steps.has_value();
      open_->steps.reset();  // they were those of the run
      open_->cut = false;    // which goes on from there
      if (steps_.stands_first(reading)) {
        open_->steps = *reading.step - 1 - steps_.counted_from;
        open_->cut = evaluation_.since_train && !known;  // when the steps ended is not known
      }
    }
    end(end_before(reading, at_s));
  } else if (shares && ((numbers_.begun && epoch > numbers_.next) ||
                        (!numbers_.begun && reading.since_epoch))) {
    release();
    const auto first = numbers_.begun ? numbers_.next : *reading.since_epoch;
    const double from_s = numbers_.begun ? times_.ended_s : 0;
    const auto epochs = static_cast<double>(epoch - first);
    const double until_s = from_s + (at_s - from_s) * epochs / (epochs + part_done(reading));
    if (epoch > first) {
      numbers_.begun = true;
      open_ = OpenEpoch{.epoch = first, .start_s = from_s};
      end_several(epoch, until_s);
    }
  }
  begin(epoch, reading, at_s);
  if (steps_.stands_first(reading)) {
    open_->steps = before_.steps;
  }
}

void RowBuilder::begin(std::int64_t epoch, const Reading& reading, double at_s) {
  if (held_) {
    if (first_.after_first_batch) {
      add_first_batch(reading, at_s);
    }
    before_.evaluation_s = before_.evaluation_s.value_or(0);
    release();
  }
  constexpr double many = 10;
  double start_s = times_.ended_s;
  double doubt_s = 0;
  // Nothing shows how long before its first print the first epoch began.
  bool cut = !numbers_.begun && clock_.timed && !reading.begins_epoch && !reading.ends_epoch &&
             !reading.step && !reading.part && !reading.elapsed_s;
  if (reading.begins_epoch) {
    start_s = at_s;
  } else if (!numbers_.begun) {
    start_s = start_of_first(reading, at_s);
  }
  if (lost_.resumes && !numbers_.repeats(epoch)) {
    const bool stated = reading.duration_s && reading.ends_epoch;
    const double least_s = stated ? before_.end_s.value_or(start_s) : start_s;
    start_s = reading.begins_epoch ? at_s : std::max(least_s, at_s - lead_s(reading));
    cut = reading.step && !steps_.counts_on &&
          before_.steps > 0 &&  // steps that were done before the run went on
          start_s - (at_s - lead_s(reading)) > most_doubt * before_.wall_s;
    if (!reading.begins_epoch && !stated && !reading.elapsed_s) {
      doubt_s = start_s - std::max(least_s, reading.restart.last_line_s - lost_.sum_s);
    }
    leave_out_lost_time(start_s);
  }
  // A fold whose first line is far from the last one of the fold before began in between.
  if (numbers_.begun && reading.restart.what == Statement::new_phase && !reading.begins_epoch &&
      before_.wall_s > 0 && at_s - start_s > many * before_.wall_s) {
    doubt_s = at_s - start_s;
  }
  const bool known_start =
      reading.begins_epoch || numbers_.begun || (start_s < at_s && !first_.print);
  if (!numbers_.begun && !first_.print) {
    state_start(start_s);
  }
  numbers_.begun = true;
  evaluation_.since_train = false;
  times_.trained_s = start_s;
  before_.last_step = open_ ? 0 : before_.last_step;
  open_ = OpenEpoch{
      .epoch = epoch, .start_s = start_s, .doubt_s = options_.begin_anywhere ? doubt_s : 0};
  open_->announced = reading.begins_epoch;
  open_->cut = cut;
  if (reading.begins_epoch) {
    clock_.stated.begin_epoch(start_s);
  }
  numbers_.next = epoch + 1;
  result_.position.epoch = epoch;
  result_.position.step.reset();
  result_.position.steps.reset();
  steps_.last.reset();
  if (known_start) {
    steps_.first_of_time = steps_.last = StepPrint{.step = 0, .at_s = start_s};
  }
}

/// Where the first epoch began, of which the line at `at_s` states the duration. It cannot have
/// begun before the output, if that has a line before the first of the epoch.
double RowBuilder::stated_start_s(const Reading& reading, double at_s, double first_line_s) const {
  const double start_s = at_s - *reading.duration_s - reading.evaluation_s.value_or(0);
  return options_.begin_within || (options_.begin_anywhere && first_line_s <= 0)
             ? start_s
             : std::max(0.0, start_s);
}

/// The first print of the run, and then one in an epoch that is not the next: the rate of the
/// epochs between leads back to the begin of the first.
void RowBuilder::begin_by_parts(std::int64_t epoch, const Reading& next, double at_s) {
  if (!first_.print || first_.print->elapsed_s) {
    return;
  }
  const double done = first_.print->by_part ? first_.print->done
                      : open_->steps ? first_.print->done / static_cast<double>(*open_->steps)
                                     : 0;
  const double rate_s = (at_s - first_.print->at_s) /
                        (static_cast<double>(epoch - open_->epoch) + part_done(next) - done);
  open_->start_s = first_.print->at_s - rate_s * done;
  if (!options_.begin_anywhere) {
    open_->start_s = std::max(0.0, open_->start_s);
  }
  state_start(open_->start_s);
  first_.print.reset();
}

/// Where the first epoch of the run begins; std::nullopt in `first_.print` if its steps will show
/// it.
double RowBuilder::start_of_first(const Reading& reading, double at_s) {
  const double steps_s = reading.step_s.value_or(0) * static_cast<double>(reading.step.value_or(0));
  if (reading.ends_epoch || reading.begins_epoch) {
    // The clock of a text that begins in the middle of a run says nothing about its first epoch.
    const bool joins = !clock_.timed && reading.epoch.value_or(0) > 0 && !reading.since_epoch;
    const bool told = clock_.timed && reading.restart.what == Statement::new_phase;  // "Fold 1"
    const double from_s = std::min(at_s, told ? reading.restart.at_s : first_.told_s.value_or(0));
    if (reading.duration_s && !reading.begins_epoch) {
      first_.by_stated = true;
      return stated_start_s(reading, at_s, at_s);
    }
    if (reading.begins_epoch || joins) {
      return at_s;
    }
    if (reading.since_epoch && reading.clock_s) {  // a clock of the rounds
      const bool whole = *reading.clock_s == std::floor(*reading.clock_s);
      return std::max(from_s, at_s - *reading.clock_s - (whole ? 0.5 : 0));
    }
    first_.begin_unknown = clock_.timed && !told && !first_.told_s &&
                           (!reading.since_epoch || reading.since_epoch == reading.epoch);
    return from_s;
  }
  const bool states = reading.elapsed_s || steps_s > 0;
  const double done = reading.step ? static_cast<double>(*reading.step) : reading.part.value_or(0);
  // A bar states its time in whole seconds: the rate of the steps is more exact.
  const bool coarse =
      reading.elapsed_s && clock_.timed && *reading.elapsed_s == std::floor(*reading.elapsed_s);
  if ((!states || coarse) && done > 0 && !reading.of_run && (clock_.timed || reading.clock_s)) {
    first_.print = FirstEpoch::Print{.done = done,
                                     .at_s = at_s,
                                     .samples = reading.samples.value_or(0),
                                     .by_part = !reading.step};
    if (coarse) {
      first_.print->elapsed_s = reading.elapsed_s;
    }
  }
  first_.after_first_batch = !states && done == 0 && reading.part && clock_.timed;
  const double before_s = reading.elapsed_s ? *reading.elapsed_s : steps_s;
  return before_s > at_s && options_.begin_anywhere ? at_s - before_s
                                                    : std::max(0.0, at_s - before_s);
}

/// The first epoch was seen from the end of its first batch on. The next one, whose begin is known,
/// shows how long that took.
void RowBuilder::add_first_batch(const Reading& next, double at_s) {
  first_.after_first_batch = false;
  const double batch_s = at_s - times_.ended_s;
  if (next.begins_epoch || next.part.value_or(1) > 0 || !(batch_s < held_->wall_s / 2)) {
    return;
  }
  const double start_s =
      options_.begin_anywhere ? held_->start_s - batch_s : std::max(0.0, held_->start_s - batch_s);
  held_->wall_s += held_->start_s - start_s;
  held_->start_s = start_s;
}

void RowBuilder::leave_out_steps(std::int64_t steps) {
  open_->cut = true;
  first_.print->done -= static_cast<double>(steps);
  open_->step -= steps;
  steps_.leave_out(steps);
}

void RowBuilder::state_start(double start_s) {
  if (clock_.timed && start_s > 0) {
    result_.rows.spans.push_back(record::run_span("init", 0, start_s));
  }
}

/// The second print of the first epoch: the rate of the steps between leads back to its begin.
void RowBuilder::lead_back(double done, double at_s) {
  const double since_s = at_s - first_.print->at_s - open_->evaluate_s;
  if (!(done > first_.print->done) || !(since_s > 0)) {
    return;
  }
  const double rate_s = since_s / (done - first_.print->done);
  double start_s = first_.print->at_s - rate_s * first_.print->done;
  if (first_.print->elapsed_s) {
    const double latest_s = first_.print->at_s - *first_.print->elapsed_s;
    start_s = std::clamp(start_s, latest_s - 1, latest_s);
  }
  begin_first_at(start_s);
}

/// Where the first epoch began, of which the first print is known.
void RowBuilder::begin_first_at(double start_s) {
  const bool anywhere =
      options_.begin_within || (options_.begin_anywhere && first_.print->at_s <= 0);
  start_s = anywhere || !clock_.timed ? start_s : std::max(0.0, start_s);
  open_->start_s = start_s;
  state_start(start_s);
  if (!first_.print->by_part) {
    add_step(std::llround(first_.print->done), 0, start_s, first_.print->at_s,
             first_.print->samples);
    std::ranges::sort(result_.rows.iterations, {}, &record::Iteration::start_s);
  }
  first_.print.reset();
}

}  // namespace epochcast::progress
