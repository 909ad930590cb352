#include "src/measure/progress/rows/row_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace epochcast::progress {
namespace {

constexpr std::size_t most_waiting = 8192;

}  // namespace

void RowBuilder::read(const Reading& found, std::optional<double> at_s,
                      std::optional<double> since_s) {
  const auto checked = possible(found);
  if (!checked || !result_.conflict.empty()) {
    return;
  }
  const auto& reading = *checked;
  if (reading.phase == Phase::other || reading.phase == Phase::values) {
    if (at_s && since_s.value_or(*at_s) == *at_s) {
      note_other(reading, *at_s - lost_.sum_s);
    }
    return;
  }
  if (!at_s && reading.states_duration) {
    clock_.timed = false;
    state_duration(reading);
    return;
  }
  clock_.coarse = clock_.coarse && (!at_s || *at_s == std::floor(*at_s));
  // A stamp of the program's own may be older than the last tick.
  const double time_s =
      std::max(times_.read_s, clock_.time_s(reading, at_s, since_s, lost_.sum_s, place(reading)));
  times_.read_s = time_s;
  tick(time_s);
  if (reading.epochs && (numbers_.offset == 0 || *reading.epochs > 1)) {
    result_.position.epochs = *reading.epochs + numbers_.offset;
  }
  if (reading.states_duration) {  // the times of the lines are known
    if (open_) {
      open_->part = 1;
      times_.trained_s = time_s;
    }
    return;
  }
  if (reading.phase == Phase::evaluate) {
    evaluate(reading, time_s);
  } else {
    train(reading, time_s);
  }
  times_.others = {};
}

StatedClock::Place RowBuilder::place(const Reading& reading) const {
  StatedClock::Place place{
      .now_s = times_.now_s, .missing_s = missing_s(), .evaluating_since_s = evaluation_.since_s};
  if (open_) {
    place.same = !reading.epoch || *reading.epoch + numbers_.offset == open_->epoch;
    place.counts_on = !place.same && steps_.goes_on(reading);
    place.start_s = open_->start_s;
    place.evaluate_s = open_->evaluate_s;
    place.step = open_->step;
    place.printed = steps_.last ? steps_.last->step + steps_.counted_from : open_->step;
  }
  return place;
}

/// "Epoch time: 148 s" on a line of its own, about the epoch that is open or has just ended.
void RowBuilder::state_duration(const Reading& reading) {
  const double duration_s = reading.duration_s.value_or(0);
  ++before_.durations_stated;
  if (evaluation_.since_s && evaluation_.whole) {
    close_evaluation({.epoch = reading.epoch}, times_.now_s);
  }
  if (open_) {
    open_->evaluate_s += reading.evaluation_s.value_or(0);
    if (open_->lasts_s && *open_->lasts_s != duration_s) {
      result_.conflict = "without stamps, an epoch has two durations";
      return;
    }
    open_->part = 1;
    open_->lasts_s = clock_.timed ? std::nullopt : std::optional(duration_s);
    times_.now_s = std::max(times_.now_s, open_->start_s + open_->evaluate_s + duration_s);
    times_.trained_s = times_.now_s;
    evaluation_.since_train = false;
  } else if (held_ && held_->wall_s == 0) {
    held_->wall_s = duration_s;
    before_.durations_taken += clock_.timed ? 0 : 1;
    held_->evaluate_s += reading.evaluation_s.value_or(0);
    times_.now_s = std::max(times_.now_s, held_->start_s + held_->evaluate_s + duration_s);
    times_.ended_s = times_.now_s;
  }
  times_.read_s = times_.now_s;
}

void RowBuilder::tick(double at_s) {
  times_.now_s = std::max(times_.now_s, at_s);
  if (clock_.timed && held_ && !evaluation_.since_s && !options_.begin_anywhere &&
      !first_.after_first_batch && times_.now_s - times_.ended_s >= wait_for_evaluation_s()) {
    release();
  }
}

std::int64_t RowBuilder::number_of(const Reading& reading) {
  if (!reading.epoch) {
    return open_ ? open_->epoch : numbers_.next;
  }
  const bool behind = *reading.epoch + numbers_.offset < numbers_.next;
  const bool attempt = reading.restart.what == Statement::new_attempt;
  if (numbers_.begun && !attempt && behind &&
      (reading.restart.what == Statement::new_phase || begins_again(reading))) {
    if (open_ && open_->step > 0 && !open_->whole() &&
        (before_.states_ends || open_->step < before_.last_step)) {
      drop_open();  // the program did not come to its end
    }
    numbers_.offset = numbers_.next - reading.since_epoch.value_or(*reading.epoch);
    result_.position.epochs = reading.epochs && *reading.epochs > 1
                                  ? std::optional(*reading.epochs + numbers_.offset)
                                  : std::nullopt;
  }
  return *reading.epoch + numbers_.offset;
}

bool RowBuilder::begins_again(const Reading& reading) const {
  const auto epoch = reading.epoch.value_or(0) + numbers_.offset;
  return reading.begins_epoch && reading.epoch && epoch < numbers_.next &&
         (!open_ || open_->epoch != epoch || open_->step > 0);
}

/// Whether an earlier epoch than the last comes without a word about it: then the numbers cannot be
/// trusted. Values for an epoch that is over are allowed.
bool RowBuilder::falls_back(const Reading& reading, std::int64_t epoch) {
  const auto last = open_ ? open_->epoch : numbers_.next - 1;
  const bool places = reading.step || (reading.part && !reading.ends_epoch);
  if (!numbers_.begun || epoch >= last || !places || reading.of_run || !reading.epoch) {
    return false;
  }
  result_.conflict = falls_back_to(*reading.epoch);
  return true;
}

/// Whether one epoch that is over ends again, and then the next one, with a time between them:
/// another run prints into the same output. A table of all epochs comes at once.
bool RowBuilder::runs_again(const Reading& reading, std::int64_t epoch, double at_s) {
  if (!clock_.timed || !reading.ends_epoch || !reading.epoch || epoch + 1 >= numbers_.next) {
    return false;
  }
  const auto before = std::exchange(before_.over, StepPrint{.step = epoch, .at_s = at_s});
  if (!before || before->step + 1 != epoch || at_s - before->at_s < before_.wall_s / 2) {
    return false;
  }
  result_.conflict = falls_back_to(*reading.epoch);
  return true;
}

std::string RowBuilder::falls_back_to(std::int64_t epoch) const {
  const auto last = open_ ? open_->epoch : numbers_.next - 1;
  return fmt::format("the epoch falls back from {} to {}", last - numbers_.offset, epoch);
}

void RowBuilder::train(const Reading& reading, double at_s) {
  if (evaluation_.since_s) {
    close_evaluation(reading, reading.restart.what == Statement::new_attempt
                                  ? end_of_attempt_s(reading.restart, at_s)
                                  : at_s);
  }
  if (numbers_.begun && reading.restart.what == Statement::new_attempt && reading.epoch) {
    restart(reading, at_s);
    if (!result_.conflict.empty()) {
      return;
    }
  }
  if (reading.drops_open && open_) {
    drop_open();
  }
  const auto epoch = number_of(reading);
  if (falls_back(reading, epoch)) {
    return;
  }
  const bool is_over = epoch < numbers_.next && (!open_ || epoch < open_->epoch);
  if (is_over && runs_again(reading, epoch, at_s)) {
    return;
  }
  if (is_over || (reading.ends_run && !reading.ends_epoch)) {
    add_metrics(reading, epoch);
    if (reading.ends_run && open_ && (open_->whole() || reading.part == 1)) {
      end(evaluation_.since_train ? times_.ended_s : at_s);
    }
    return;
  }
  if (!open_ || open_->epoch != epoch) {
    leave_out_others(reading, at_s);
    change_epoch(epoch, reading, at_s);
    at_s -= std::exchange(lost_.unapplied_s, 0);
  }
  if (reading.step) {
    step(reading, at_s);
  } else if (reading.part && first_.print) {
    lead_back(*reading.part, at_s);
  }
  open_->part = std::max(open_->part, reading.part.value_or(0));
  if (reading.samples && reading.ends_epoch) {
    open_->samples = *reading.samples;
  }
  if (clock_.unstamped && is_complete(reading) && !reading.of_run) {
    open_->stated_s = reading.elapsed_s;
  }
  if (!clock_.timed && reading.ends_epoch && reading.duration_s) {
    open_->lasts_s = reading.duration_s;
  }
  if (clock_.coarse && clock_.timed && options_.begin_anywhere && reading.ends_epoch &&
      reading.duration_s && *reading.duration_s != std::floor(*reading.duration_s)) {
    open_->exact_s = reading.duration_s;
  }
  if (first_.print && clock_.timed && reading.ends_epoch && reading.duration_s) {
    begin_first_at(stated_start_s(reading, at_s, first_.print->at_s));
  }
  if (reading.evaluation_s && open_->evaluate_s == 0) {
    open_->evaluate_s = std::min(*reading.evaluation_s, std::max(0.0, at_s - open_->start_s));
  }
  add_metrics(reading, epoch);
  at_s = without_pause(reading, at_s);
  times_.trained_s = at_s;
  evaluation_.since_train = evaluation_.since_train && reading.ends_epoch;
  if (reading.ends_epoch) {
    before_.states_ends = true;
    end(at_s);
  }
}

void RowBuilder::add_metrics(const Reading& reading, std::int64_t epoch) {
  const bool open = open_ && open_->epoch == epoch;
  for (const auto& metric : reading.metrics) {
    if (reading.running && open) {
      open_->metrics.set(metric);
    } else if (reading.part && !reading.step && open) {
      if (!full(open_->of_parts.size())) {
        open_->of_parts.emplace_back(*reading.part, metric);
      }
    } else if (reading.ends_run && !reading.ends_epoch) {
      add_metric(-1, metric.name, metric.value, 0);
    } else {
      const bool of_step = reading.step && !reading.ends_epoch;
      const auto step = of_step ? *reading.step - (open ? steps_.counted_from : 0) : 0;
      add_metric(epoch, metric.name, metric.value, std::max<std::int64_t>(step, of_step ? 1 : 0));
    }
  }
}

void RowBuilder::add_metric(std::int64_t epoch, const std::string& name, double value,
                            std::int64_t step) {
  if (!full(result_.rows.metrics.size()) && (epoch < 0 || !numbers_.repeats(epoch))) {
    result_.rows.metrics.push_back(
        {.epoch = epoch, .name = name, .value = value, .iteration = step});
  }
}

bool RowBuilder::full(std::size_t rows) const {
  return !options_.keep_all && rows >= most_waiting;
}

bool RowBuilder::knows_times() const {
  return (held_ && held_->wall_s > 0) ||
         std::ranges::any_of(result_.rows.epochs, [](const auto& row) { return row.wall_s > 0; });
}

Rows RowBuilder::take() {
  return std::exchange(result_.rows, {});
}

}  // namespace epochcast::progress
