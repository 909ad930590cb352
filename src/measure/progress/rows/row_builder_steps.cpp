#include <algorithm>
#include <cmath>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// The step in the epoch: programs that number the steps of the run count on in the next epoch.
std::int64_t RowBuilder::step_of(const Reading& reading) {
  const auto raw = *reading.step;
  run_.steps.first_printed = run_.steps.first_printed.value_or(raw);
  if (reading.of_run || !run_.open) {
    return raw;
  }
  const bool first_of_epoch = run_.open->step == 0 && run_.open->epoch > 0;
  if (first_of_epoch && run_.steps.goes_on(reading)) {
    if (!run_.steps.counts_on && !rows_.epochs.empty() && rows_.epochs.back().epoch > 0 &&
        rows_.epochs.back().iterations == run_.steps.last_printed) {
      rows_.epochs.pop_back();  // the run went on in it: nothing shows where it began
      --run_.position.epochs_done;
    }
    run_.steps.counted_from = run_.steps.stands_first(reading) ? raw - 1 : run_.steps.last_printed;
    run_.steps.counts_on = true;
  } else if (first_of_epoch) {
    run_.steps.counted_from = 0;
  }
  run_.steps.last_printed = run_.open->step == 0 ? raw : std::max(run_.steps.last_printed, raw);
  return raw - run_.steps.counted_from;
}

void RowBuilder::add_step(std::int64_t done, std::int64_t since, double start_s, double at_s,
                          std::int64_t samples) {
  if (full(rows_.iterations.size()) || run_.numbers.repeats(run_.open->epoch)) {
    return;
  }
  const double step_s = std::max(0.0, at_s - start_s) / static_cast<double>(done - since);
  run_.steps.step_s = step_s;
  rows_.iterations.push_back({.epoch = run_.open->epoch,
                              .index = done - 1,
                              .start_s = at_s - step_s,
                              .step_s = step_s,
                              .samples = samples});
}

/// Steps that a log prints with one time, in whole seconds, share what passes until the next.
bool RowBuilder::share_time(std::int64_t done, double at_s) {
  if (!run_.options.begin_anywhere || !run_.steps.first_of_time ||
      run_.steps.first_of_time->at_s != run_.steps.last->at_s ||
      run_.steps.first_of_time->step >= run_.steps.last->step || !(at_s > run_.steps.last->at_s)) {
    return false;
  }
  const auto& [since, start_s] = *run_.steps.first_of_time;
  const double step_s = (at_s - start_s) / static_cast<double>(done - since);
  for (auto row = rows_.iterations.rbegin(); row != rows_.iterations.rend() && row->step_s == 0 &&
                                             row->epoch == run_.open->epoch && row->index >= since;
       ++row) {
    row->step_s = step_s;
    row->start_s = start_s + step_s * static_cast<double>(row->index - since);
  }
  return true;
}

void RowBuilder::leave_out_steps(std::int64_t steps) {
  run_.open->cut = true;
  run_.first.print->done -= static_cast<double>(steps);
  run_.open->step -= steps;
  run_.steps.leave_out(steps);
}

void RowBuilder::step(const Reading& reading, double at_s) {
  auto done = step_of(reading);
  if (done < 0) {
    return;
  }
  if (reading.steps && run_.open->steps == reading.steps && !run_.open->whole() &&
      run_.steps.begin_again_within(done)) {
    run_.open->cut = true;  // nobody says when
  }
  if (run_.first.print && !run_.first.print->by_part && run_.steps.last &&
      done > run_.steps.last->step && run_.first.shows_rate(static_cast<double>(done), at_s) &&
      run_.first.lacks_steps(done, at_s, run_.steps.last->step)) {
    if (reading.steps && done <= *reading.steps) {  // of an epoch that began before the output
      run_.open->cut = true;
      begin_first_at(run_.first.print->at_s);
    } else {
      const auto steps = std::llround(run_.first.print->done) - (done - run_.steps.last->step);
      leave_out_steps(steps);
      done -= steps;
    }
  }
  if (run_.steps.last && done > run_.steps.last->step) {
    const auto from = share_time(done, at_s) ? *run_.steps.first_of_time : *run_.steps.last;
    add_step(done, from.step, from.at_s, at_s, reading.samples.value_or(0));
  }
  if (run_.first.print && !run_.first.print->by_part) {
    if (run_.first.shows_rate(static_cast<double>(done), at_s)) {
      lead_back(static_cast<double>(done), at_s);
    }
  } else if (run_.first.print && reading.steps && *reading.steps > 0) {
    lead_back(static_cast<double>(done) / static_cast<double>(*reading.steps), at_s);
  }
  run_.open->printed_s = at_s - run_.open->start_s - run_.open->evaluate_s;
  run_.open->last_print_s = at_s - run_.open->evaluate_s;
  run_.steps.add(done, at_s);
  run_.open->step = std::max(run_.open->step, done);
  run_.position.step = run_.open->step;
  if (reading.steps && !run_.steps.counts_on) {
    run_.open->steps = reading.of_run ? std::nullopt : reading.steps;
    run_.position.steps = reading.steps;
  } else if (run_.steps.counts_on && run_.before.steps > 0) {
    run_.position.steps = run_.before.steps;
  }
}

}  // namespace epochcast::progress
