#include <algorithm>
#include <cmath>

#include "src/measure/progress/row_builder.hpp"

namespace epochcast::progress {

/// Whether the first step of another epoch is one of the run: it comes after the last one printed,
/// and that was far from the total, if one is stated.
bool RowBuilder::goes_on_counting(const Reading& next) const {
  if (!next.step || next.of_run || last_raw_step_ == 0 || *next.step <= last_raw_step_) {
    return false;
  }
  const bool of_epoch = next.steps && *next.step <= *next.steps && last_raw_step_ >= *next.steps;
  return !of_epoch && (!next.steps || counts_on_ || last_raw_step_ * 10 < *next.steps * 9);
}

/// The step in the epoch: programs that number the steps of the run count on in the next epoch.
std::int64_t RowBuilder::step_of(const Reading& reading) {
  const auto raw = *reading.step;
  if (reading.of_run || !open_) {
    return raw;
  }
  const bool first_of_epoch = open_->step == 0 && open_->epoch > 0;
  if (first_of_epoch && goes_on_counting(reading)) {
    if (!counts_on_ && !rows_.epochs.empty() && rows_.epochs.back().epoch > 0 &&
        rows_.epochs.back().iterations == last_raw_step_) {
      rows_.epochs.pop_back();  // the run went on in it: nothing shows where it began
      --position_.epochs_done;
    }
    counted_from_ = last_raw_step_;
    counts_on_ = true;
  } else if (first_of_epoch) {
    counted_from_ = 0;
  }
  last_raw_step_ = open_->step == 0 ? raw : std::max(last_raw_step_, raw);
  return raw - counted_from_;
}

void RowBuilder::add_step(std::int64_t done, std::int64_t since, double start_s, double at_s,
                          std::int64_t samples) {
  if (full(rows_.iterations.size()) || repeats(open_->epoch)) {
    return;
  }
  const double step_s = std::max(0.0, at_s - start_s) / static_cast<double>(done - since);
  last_step_s_ = step_s;
  rows_.iterations.push_back({.epoch = open_->epoch,
                              .index = done - 1,
                              .start_s = at_s - step_s,
                              .step_s = step_s,
                              .samples = samples});
}

/// Steps that a log prints with one time, in whole seconds, share what passes until the next.
bool RowBuilder::share_time(std::int64_t done, double at_s) {
  if (!begins_anywhere_ || !first_of_time_ || first_of_time_->at_s != last_print_->at_s ||
      first_of_time_->step >= last_print_->step || !(at_s > last_print_->at_s)) {
    return false;
  }
  const auto& [since, start_s] = *first_of_time_;
  const double step_s = (at_s - start_s) / static_cast<double>(done - since);
  for (auto row = rows_.iterations.rbegin(); row != rows_.iterations.rend() && row->step_s == 0 &&
                                             row->epoch == open_->epoch && row->index >= since;
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
  if (first_ && !first_->by_part && last_print_ && done > last_print_->step &&
      leads_back(static_cast<double>(done), at_s) && lacks_steps(done, at_s)) {
    if (reading.steps && done <= *reading.steps) {  // of an epoch that began before the output
      open_->cut = true;
      begin_first_at(first_->at_s);
    } else {
      const auto steps = std::llround(first_->done) - (done - last_print_->step);
      leave_out_steps(steps);
      done -= steps;
    }
  }
  if (last_print_ && done > last_print_->step) {
    const auto from = share_time(done, at_s) ? *first_of_time_ : *last_print_;
    add_step(done, from.step, from.at_s, at_s, reading.samples.value_or(0));
  }
  if (first_ && !first_->by_part) {
    if (leads_back(static_cast<double>(done), at_s)) {
      lead_back(static_cast<double>(done), at_s);
    }
  } else if (first_ && reading.steps && *reading.steps > 0) {
    lead_back(static_cast<double>(done) / static_cast<double>(*reading.steps), at_s);
  }
  if (last_print_ && done > last_print_->step) {
    last_stride_ = done - last_print_->step;
  }
  if (!last_print_ || done > last_print_->step) {
    if (!last_print_ || at_s > last_print_->at_s) {
      first_of_time_ = Print{.step = done, .at_s = at_s};
    }
    last_print_ = Print{.step = done, .at_s = at_s};
  }
  open_->step = std::max(open_->step, done);
  position_.step = open_->step;
  if (reading.steps && !counts_on_) {
    open_->steps = reading.of_run ? std::nullopt : reading.steps;
    position_.steps = reading.steps;
  } else if (counts_on_ && delivered_steps_ > 0) {
    position_.steps = delivered_steps_;
  }
}

}  // namespace epochcast::progress
