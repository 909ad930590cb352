#include <algorithm>
#include <cmath>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// The step in the epoch: programs that number the steps of the run count on in the next epoch.
std::int64_t RowBuilder::step_of(const Reading& reading) {
  const auto raw = *reading.step;
  steps_.first_printed = steps_.first_printed.value_or(raw);
  if (reading.of_run || !open_) {
    return raw;
  }
  const bool first_of_epoch = open_->step == 0 && open_->epoch > 0;
  if (first_of_epoch && steps_.goes_on(reading)) {
    if (!steps_.counts_on && !result_.rows.epochs.empty() && result_.rows.epochs.back().epoch > 0 &&
        result_.rows.epochs.back().iterations == steps_.last_printed) {
      result_.rows.epochs.pop_back();  // the run went on in it: nothing shows where it began
      --result_.position.epochs_done;
    }
    steps_.counted_from = steps_.stands_first(reading) ? raw - 1 : steps_.last_printed;
    steps_.counts_on = true;
  } else if (first_of_epoch) {
    steps_.counted_from = 0;
  }
  steps_.last_printed = open_->step == 0 ? raw : std::max(steps_.last_printed, raw);
  return raw - steps_.counted_from;
}

void RowBuilder::add_step(std::int64_t done, std::int64_t since, double start_s, double at_s,
                          std::int64_t samples) {
  if (full(result_.rows.iterations.size()) || numbers_.repeats(open_->epoch)) {
    return;
  }
  const double step_s = std::max(0.0, at_s - start_s) / static_cast<double>(done - since);
  steps_.step_s = step_s;
  result_.rows.iterations.push_back({.epoch = open_->epoch,
                                     .index = done - 1,
                                     .start_s = at_s - step_s,
                                     .step_s = step_s,
                                     .samples = samples});
}

/// Steps that a log prints with one time, in whole seconds, share what passes until the next.
bool RowBuilder::share_time(std::int64_t done, double at_s) {
  if (!options_.begin_anywhere || !steps_.first_of_time ||
      steps_.first_of_time->at_s != steps_.last->at_s ||
      steps_.first_of_time->step >= steps_.last->step || !(at_s > steps_.last->at_s)) {
    return false;
  }
  const auto& [since, start_s] = *steps_.first_of_time;
  const double step_s = (at_s - start_s) / static_cast<double>(done - since);
  for (auto row = result_.rows.iterations.rbegin();
       row != result_.rows.iterations.rend() && row->step_s == 0 && row->epoch == open_->epoch &&
       row->index >= since;
       ++row) {
    row->step_s = step_s;
    row->start_s = start_s + step_s * static_cast<double>(row->index - since);
  }
  return true;
}

void RowBuilder::step(const Reading& reading, double at_s) {
  auto done = step_of(reading);
  if (done < 0) {
    return;
  }
  if (reading.steps && open_->steps == reading.steps && !open_->whole() &&
      steps_.begin_again_within(done)) {
    open_->cut = true;  // nobody says when
  }
  if (first_.print && !first_.print->by_part && steps_.last && done > steps_.last->step &&
      first_.shows_rate(static_cast<double>(done), at_s) &&
      first_.lacks_steps(done, at_s, steps_.last->step)) {
    if (reading.steps && done <= *reading.steps) {  // of an epoch that began before the output
      open_->cut = true;
      begin_first_at(first_.print->at_s);
    } else {
      const auto steps = std::llround(first_.print->done) - (done - steps_.last->step);
      leave_out_steps(steps);
      done -= steps;
    }
  }
  if (steps_.last && done > steps_.last->step) {
    const auto from = share_time(done, at_s) ? *steps_.first_of_time : *steps_.last;
    add_step(done, from.step, from.at_s, at_s, reading.samples.value_or(0));
  }
  if (first_.print && !first_.print->by_part) {
    if (first_.shows_rate(static_cast<double>(done), at_s)) {
      lead_back(static_cast<double>(done), at_s);
    }
  } else if (first_.print && reading.steps && *reading.steps > 0) {
    lead_back(static_cast<double>(done) / static_cast<double>(*reading.steps), at_s);
  }
  steps_.add(done, at_s);
  open_->step = std::max(open_->step, done);
  result_.position.step = open_->step;
  if (reading.steps && !steps_.counts_on) {
    open_->steps = reading.of_run ? std::nullopt : reading.steps;
    result_.position.steps = reading.steps;
  } else if (steps_.counts_on && before_.steps > 0) {
    result_.position.steps = before_.steps;
  }
}

}  // namespace epochcast::progress
