#include <algorithm>
#include <cmath>

#include "src/measure/progress/row_builder.hpp"

namespace epochcast::progress {

void RowBuilder::change_epoch(std::int64_t epoch, const Reading& reading, double at_s) {
  const bool shares = timed_ || stated_clock_.is_of_run();
  if (open_ && epoch > open_->epoch + 1 && shares) {
    begin_by_parts(epoch, reading, at_s);
    const double from_s = open_->start_s;
    const double done = part_done(reading);
    const auto epochs = static_cast<double>(epoch - open_->epoch);
    end_several(epoch,
                reading.begins_epoch ? at_s : from_s + (at_s - from_s) * epochs / (epochs + done));
  } else if (open_) {
    if (goes_on_counting(reading)) {
      open_->steps.reset();  // they were those of the run
      open_->cut = false;    // which goes on from there
    }
    end(end_before(reading, at_s));
  } else if (shares && ((begun_ && epoch > next_epoch_) || (!begun_ && reading.since_epoch))) {
    release();
    const auto first = begun_ ? next_epoch_ : *reading.since_epoch;
    const double from_s = begun_ ? last_end_s_ : 0;
    const auto epochs = static_cast<double>(epoch - first);
    const double until_s = from_s + (at_s - from_s) * epochs / (epochs + part_done(reading));
    if (epoch > first) {
      begun_ = true;
      open_ = Open{.epoch = first, .start_s = from_s};
      end_several(epoch, until_s);
    }
  }
  begin(epoch, reading, at_s);
}

void RowBuilder::begin(std::int64_t epoch, const Reading& reading, double at_s) {
  if (held_) {
    if (zero_start_) {
      add_first_batch(reading, at_s);
    }
    evaluation_after_s_ = evaluation_after_s_.value_or(0);
    release();
  }
  constexpr double many = 10;
  double start_s = last_end_s_;
  double doubt_s = 0;
  if (reading.begins_epoch) {
    start_s = at_s;
  } else if (!begun_) {
    start_s = start_of_first(reading, at_s);
  }
  if (resumes_ && !repeats(epoch)) {
    const bool stated = reading.duration_s && reading.ends_epoch;
    const double least_s = stated ? delivered_end_s_.value_or(start_s) : start_s;
    start_s = reading.begins_epoch ? at_s : std::max(least_s, at_s - lead_s(reading));
    if (!reading.begins_epoch && !stated && !reading.elapsed_s) {
      doubt_s = start_s - std::max(least_s, reading.restart.last_line_s - lost_s_);
    }
    leave_out_lost_time(start_s);
  }
  // A fold whose first line is far from the last one of the fold before began in between.
  if (begun_ && reading.restart.what == Statement::new_phase && !reading.begins_epoch &&
      delivered_wall_s_ > 0 && at_s - start_s > many * delivered_wall_s_) {
    doubt_s = at_s - start_s;
  }
  const bool known_start = reading.begins_epoch || begun_ || (start_s < at_s && !first_);
  if (!begun_ && !first_) {
    state_start(start_s);
  }
  begun_ = true;
  evaluated_since_train_ = false;
  last_train_s_ = start_s;
  last_step_before_ = open_ ? 0 : last_step_before_;
  open_ = Open{.epoch = epoch, .start_s = start_s, .doubt_s = begins_anywhere_ ? doubt_s : 0};
  open_->announced = reading.begins_epoch;
  if (reading.begins_epoch) {
    stated_clock_.begin_epoch(start_s);
  }
  next_epoch_ = epoch + 1;
  position_.epoch = epoch;
  position_.step.reset();
  position_.steps.reset();
  last_print_.reset();
  if (known_start) {
    first_of_time_ = last_print_ = Print{.step = 0, .at_s = start_s};
  }
}

/// Where the first epoch began, of which the line at `at_s` states the duration. It cannot have
/// begun before the output, if that has a line before the first of the epoch.
double RowBuilder::stated_start_s(const Reading& reading, double at_s, double first_line_s) const {
  const double start_s = at_s - *reading.duration_s - reading.evaluation_s.value_or(0);
  return begins_within_ || (begins_anywhere_ && first_line_s <= 0) ? start_s
                                                                   : std::max(0.0, start_s);
}

/// The first print of the run, and then one in an epoch that is not the next: the rate of the
/// epochs between leads back to the begin of the first.
void RowBuilder::begin_by_parts(std::int64_t epoch, const Reading& next, double at_s) {
  if (!first_ || first_->elapsed_s) {
    return;
  }
  const double done = first_->by_part ? first_->done
                      : open_->steps  ? first_->done / static_cast<double>(*open_->steps)
                                      : 0;
  const double rate_s =
      (at_s - first_->at_s) / (static_cast<double>(epoch - open_->epoch) + part_done(next) - done);
  open_->start_s = first_->at_s - rate_s * done;
  if (!begins_anywhere_) {
    open_->start_s = std::max(0.0, open_->start_s);
  }
  state_start(open_->start_s);
  first_.reset();
}

/// Where the first epoch of the run begins; std::nullopt in `first_` if its steps will show it.
double RowBuilder::start_of_first(const Reading& reading, double at_s) {
  const double steps_s = reading.step_s.value_or(0) * static_cast<double>(reading.step.value_or(0));
  if (reading.ends_epoch || reading.begins_epoch) {
    // The clock of a text that begins in the middle of a run says nothing about its first epoch.
    const bool joins = !timed_ && reading.epoch.value_or(0) > 0 && !reading.since_epoch;
    const bool told = timed_ && reading.restart.what == Statement::new_phase;  // "Fold 1"
    const double from_s = told ? std::min(reading.restart.at_s, at_s) : 0;
    if (reading.duration_s && !reading.begins_epoch) {
      return stated_start_s(reading, at_s, at_s);
    }
    if (reading.begins_epoch || joins) {
      return at_s;
    }
    if (reading.since_epoch && reading.clock_s) {  // a clock of the rounds
      const bool whole = *reading.clock_s == std::floor(*reading.clock_s);
      return std::max(from_s, at_s - *reading.clock_s - (whole ? 0.5 : 0));
    }
    begin_unknown_ =
        timed_ && !told && (!reading.since_epoch || reading.since_epoch == reading.epoch);
    return from_s;
  }
  const bool states = reading.elapsed_s || steps_s > 0;
  const double done = reading.step ? static_cast<double>(*reading.step) : reading.part.value_or(0);
  // A bar states its time in whole seconds: the rate of the steps is more exact.
  const bool coarse =
      reading.elapsed_s && timed_ && *reading.elapsed_s == std::floor(*reading.elapsed_s);
  if ((!states || coarse) && done > 0 && !reading.of_run && (timed_ || reading.clock_s)) {
    first_ = First{.done = done,
                   .at_s = at_s,
                   .samples = reading.samples.value_or(0),
                   .by_part = !reading.step};
    if (coarse) {
      first_->elapsed_s = reading.elapsed_s;
    }
  }
  zero_start_ = !states && done == 0 && reading.part && timed_;
  const double before_s = reading.elapsed_s ? *reading.elapsed_s : steps_s;
  return before_s > at_s && begins_anywhere_ ? at_s - before_s : std::max(0.0, at_s - before_s);
}

/// The first epoch was seen from the end of its first batch on. The next one, whose begin is known,
/// shows how long that took.
void RowBuilder::add_first_batch(const Reading& next, double at_s) {
  zero_start_ = false;
  const double batch_s = at_s - last_end_s_;
  if (next.begins_epoch || next.part.value_or(1) > 0 || !(batch_s < held_->wall_s / 2)) {
    return;
  }
  const double start_s =
      begins_anywhere_ ? held_->start_s - batch_s : std::max(0.0, held_->start_s - batch_s);
  held_->wall_s += held_->start_s - start_s;
  held_->start_s = start_s;
}

/// The first print is of a late step, and the steps before it would have begun long before the
/// output: the program did them earlier (it goes on from a checkpoint), or the output was cut.
bool RowBuilder::lacks_steps(std::int64_t done, double at_s) const {
  constexpr double late = 1.5;  // prints
  const auto stride = static_cast<double>(done - last_print_->step);
  const double rate_s = (at_s - first_->at_s) / (static_cast<double>(done) - first_->done);
  return first_->done > late * stride &&
         first_->at_s - rate_s * first_->done < -late * stride * rate_s;
}

void RowBuilder::leave_out_steps(std::int64_t steps) {
  open_->cut = true;
  counted_from_ += steps;
  first_->done -= static_cast<double>(steps);
  open_->step -= steps;
  for (auto* print : {&last_print_, &first_of_time_}) {
    if (*print) {
      (*print)->step -= steps;
    }
  }
}

void RowBuilder::state_start(double start_s) {
  if (timed_ && start_s > 0) {
    rows_.spans.push_back(record::run_span("init", 0, start_s));
  }
}

/// Whether two prints show the rate of the steps: two stamps in whole seconds that are close do
/// not.
bool RowBuilder::leads_back(double done, double at_s) const {
  constexpr double many = 5, close_s = 10;
  const bool coarse = first_->at_s == std::floor(first_->at_s) && at_s == std::floor(at_s);
  return !coarse || at_s - first_->at_s >= close_s || done >= many * first_->done;
}

/// The second print of the first epoch: the rate of the steps between leads back to its begin.
void RowBuilder::lead_back(double done, double at_s) {
  const double since_s = at_s - first_->at_s - open_->evaluate_s;
  if (!(done > first_->done) || !(since_s > 0)) {
    return;
  }
  const double rate_s = since_s / (done - first_->done);
  double start_s = first_->at_s - rate_s * first_->done;
  if (first_->elapsed_s) {
    const double latest_s = first_->at_s - *first_->elapsed_s;
    start_s = std::clamp(start_s, latest_s - 1, latest_s);
  }
  begin_first_at(start_s);
}

/// Where the first epoch began, of which the first print is known.
void RowBuilder::begin_first_at(double start_s) {
  start_s = begins_anywhere_ ? start_s : std::max(0.0, start_s);
  open_->start_s = start_s;
  state_start(start_s);
  if (!first_->by_part) {
    add_step(std::llround(first_->done), 0, start_s, first_->at_s, first_->samples);
    std::ranges::sort(rows_.iterations, {}, &record::Iteration::start_s);
  }
  first_.reset();
}

}  // namespace epochcast::progress
