#include "src/measure/progress/row_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  timed_ = at_s.has_value();
  unstamped_ = at_s && since_s && *since_s < *at_s;
  if (!timed_ && reading.states_duration) {
    state_duration(reading);
    return;
  }
  // A stamp of the program's own may be older than the last tick.
  double time_s = at_s ? *at_s - lost_s_ : stated_clock_.time_s(reading, place(reading));
  const bool states = reading.elapsed_s || reading.step_s || reading.clock_s;
  guesses_times_ = guesses_times_ || (unstamped_ && !states);
  if (at_s && since_s && *since_s < *at_s && states) {
    time_s = std::min(time_s, std::max(time_s - (*at_s - *since_s),
                                       stated_clock_.time_s(reading, place(reading))));
  }
  time_s = std::max(time_s, last_read_s_);
  last_read_s_ = time_s;
  tick(time_s);
  if (reading.epochs && (offset_ == 0 || *reading.epochs > 1)) {
    position_.epochs = *reading.epochs + offset_;
  }
  if (reading.states_duration) {
    return;  // the times of the lines are known
  }
  if (reading.phase == Phase::evaluate) {
    evaluate(reading, time_s);
  } else {
    train(reading, time_s);
  }
}

StatedClock::Place RowBuilder::place(const Reading& reading) const {
  StatedClock::Place place{
      .now_s = now_s_, .missing_s = missing_s(), .evaluating_since_s = evaluating_since_s_};
  if (open_) {
    place.same = !reading.epoch || *reading.epoch + offset_ == open_->epoch;
    place.counts_on = !place.same && goes_on_counting(reading);
    place.start_s = open_->start_s;
    place.evaluate_s = open_->evaluate_s;
    place.step = open_->step;
    place.printed = last_print_ ? last_print_->step + counted_from_ : open_->step;
  }
  return place;
}

/// "Epoch time: 148 s" on a line of its own, about the epoch that is open or has just ended.
void RowBuilder::state_duration(const Reading& reading) {
  const double duration_s = reading.duration_s.value_or(0);
  ++statements_;
  if (open_) {
    open_->evaluate_s += reading.evaluation_s.value_or(0);
    open_->part = 1;
    now_s_ = std::max(now_s_, open_->start_s + open_->evaluate_s + duration_s);
    last_train_s_ = now_s_;
  } else if (held_ && held_->wall_s == 0) {
    held_->wall_s = duration_s;
    held_->evaluate_s += reading.evaluation_s.value_or(0);
    now_s_ = std::max(now_s_, held_->start_s + held_->evaluate_s + duration_s);
    last_end_s_ = now_s_;
  }
  last_read_s_ = now_s_;
}

void RowBuilder::tick(double at_s) {
  now_s_ = std::max(now_s_, at_s);
  if (timed_ && held_ && !evaluating_since_s_ && !begins_anywhere_ && !zero_start_ &&
      now_s_ - last_end_s_ >= wait_for_evaluation_s()) {
    release();
  }
}

std::int64_t RowBuilder::number_of(const Reading& reading) {
  if (!reading.epoch) {
    return open_ ? open_->epoch : next_epoch_;
  }
  const bool behind = *reading.epoch + offset_ < next_epoch_;
  const bool attempt = reading.restart.what == Statement::new_attempt;
  if (begun_ && !attempt && behind &&
      (reading.restart.what == Statement::new_phase || begins_again(reading))) {
    if (open_ && open_->step > 0 && !open_->whole() &&
        (ends_stated_ || open_->step < last_step_before_)) {
      drop_open();  // the program did not come to its end
    }
    offset_ = next_epoch_ - reading.since_epoch.value_or(*reading.epoch);
    position_.epochs = reading.epochs && *reading.epochs > 1
                           ? std::optional(*reading.epochs + offset_)
                           : std::nullopt;
  }
  return *reading.epoch + offset_;
}

bool RowBuilder::begins_again(const Reading& reading) const {
  const auto epoch = reading.epoch.value_or(0) + offset_;
  return reading.begins_epoch && reading.epoch && epoch < next_epoch_ &&
         (!open_ || open_->epoch != epoch || open_->step > 0);
}

/// Whether an earlier epoch than the last comes without a word about it: then the numbers cannot be
/// trusted. Values for an epoch that is over are allowed.
bool RowBuilder::falls_back(const Reading& reading, std::int64_t epoch) {
  const auto last = open_ ? open_->epoch : next_epoch_ - 1;
  const bool places = reading.step || (reading.part && !reading.ends_epoch);
  if (!begun_ || epoch >= last || !places || reading.of_run || !reading.epoch) {
    return false;
  }
  conflict_ = fmt::format("the epoch falls back from {} to {}", last - offset_, *reading.epoch);
  return true;
}

void RowBuilder::train(const Reading& reading, double at_s) {
  if (evaluating_since_s_) {
    close_evaluation(reading, at_s);
  }
  if (begun_ && reading.restart.what == Statement::new_attempt && reading.epoch) {
    restart(reading, at_s);
  }
  if (reading.drops_open && open_) {
    drop_open();
  }
  const auto epoch = number_of(reading);
  if (falls_back(reading, epoch)) {
    return;
  }
  const bool is_over = epoch < next_epoch_ && (!open_ || epoch < open_->epoch);
  if (is_over || (reading.ends_run && !reading.ends_epoch)) {
    add_metrics(reading, epoch);
    if (reading.ends_run && open_ && (open_->whole() || reading.part == 1)) {
      end(evaluated_since_train_ ? last_end_s_ : at_s);
    }
    return;
  }
  if (!open_ || open_->epoch != epoch) {
    change_epoch(epoch, reading, at_s);
    at_s -= std::exchange(unapplied_s_, 0);
  }
  if (reading.step) {
    step(reading, at_s);
  } else if (reading.part && first_) {
    lead_back(*reading.part, at_s);
  }
  open_->part = std::max(open_->part, reading.part.value_or(0));
  if (reading.samples && reading.ends_epoch) {
    open_->samples = *reading.samples;
  }
  if (unstamped_ && is_complete(reading) && !reading.of_run) {
    open_->stated_s = reading.elapsed_s;
  }
  if (first_ && timed_ && reading.ends_epoch && reading.duration_s) {
    begin_first_at(stated_start_s(reading, at_s, first_->at_s));
  }
  if (reading.evaluation_s && open_->evaluate_s == 0) {
    open_->evaluate_s = std::min(*reading.evaluation_s, std::max(0.0, at_s - open_->start_s));
  }
  add_metrics(reading, epoch);
  at_s = without_pause(reading, at_s);
  last_train_s_ = at_s;
  if (!reading.ends_epoch || !evaluated_since_train_) {
    evaluated_since_train_ = false;
  }
  if (reading.ends_epoch) {
    ends_stated_ = true;
    end(at_s);
  }
}

void RowBuilder::set(std::map<std::string, double>& values, const NamedValue& value) {
  constexpr std::size_t most_names = 64;
  if (values.size() < most_names || values.contains(value.name)) {
    values[value.name] = value.value;
  }
}

void RowBuilder::add_metrics(const Reading& reading, std::int64_t epoch) {
  const bool open = open_ && open_->epoch == epoch;
  for (const auto& metric : reading.metrics) {
    if (reading.running && open) {
      set(open_->metrics, metric);
    } else if (reading.part && !reading.step && open) {
      if (!full(open_->of_parts.size())) {
        open_->of_parts.emplace_back(*reading.part, metric);
      }
    } else if (reading.ends_run && !reading.ends_epoch) {
      add_metric(-1, metric.name, metric.value, 0);
    } else {
      const bool of_step = reading.step && !reading.ends_epoch;
      const auto step = of_step ? *reading.step - (open ? counted_from_ : 0) : 0;
      add_metric(epoch, metric.name, metric.value, std::max<std::int64_t>(step, of_step ? 1 : 0));
    }
  }
}

void RowBuilder::add_metric(std::int64_t epoch, const std::string& name, double value,
                            std::int64_t step) {
  if (!full(rows_.metrics.size()) && (epoch < 0 || !repeats(epoch))) {
    rows_.metrics.push_back({.epoch = epoch, .name = name, .value = value, .iteration = step});
  }
}

bool RowBuilder::full(std::size_t rows) const {
  return !keeps_all_ && rows >= most_waiting;
}

Rows RowBuilder::take() {
  return std::exchange(rows_, {});
}

}  // namespace epochcast::progress
