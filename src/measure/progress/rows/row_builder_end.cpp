#include <algorithm>
#include <cmath>
#include <utility>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {
namespace {

/// More epochs than that do not pass between two prints.
constexpr std::int64_t most_at_once = 10'000;

}  // namespace

/// Where the open epoch ended, of which the next one's first print is here.
double RowBuilder::end_before(const Reading& next, double at_s) const {
  if (!clock_.timed && !evaluation_.since_train && !next.clock_s && !clock_.stated.bar_goes_on() &&
      !next.ends_epoch && !next.begins_epoch && open_->steps) {
    return std::min(at_s, times_.last_seen_s() + missing_s());
  }
  if (next.begins_epoch && !evaluation_.since_train) {
    return at_s;
  }
  const double from_s = times_.last_seen_s();
  if (evaluation_.since_train || next.begins_epoch) {
    return next.begins_epoch ? at_s : from_s;
  }
  if (steps_.goes_on(next)) {
    // Steps of the run: the last one printed was the epoch's last.
    const auto missing =
        steps_.stands_first(next) ? static_cast<double>(*next.step - 1 - steps_.last_printed) : 0;
    return from_s + (at_s - from_s) * missing / (missing + 1);
  }
  const bool by_steps = open_->steps && next.step;
  const double missing =
      by_steps ? static_cast<double>(open_->missing()) : std::max(0.0, 1 - open_->part);
  const auto next_step = next.step.value_or(0);
  if (!open_->steps && next.step && steps_.step_s > 0) {
    return std::max(from_s, at_s - steps_.step_s * static_cast<double>(next_step));
  }
  const double done = by_steps ? static_cast<double>(next_step) : next.part.value_or(0);
  return missing + done > 0 && (by_steps || next.part)
             ? from_s + (at_s - from_s) * missing / (missing + done)
             : at_s;
}

/// Lines came too seldom for each epoch: those that passed share the time.
void RowBuilder::end_several(std::int64_t next, double until_s) {
  const auto count = std::min(next - open_->epoch, most_at_once);
  const double start_s = open_->start_s;
  if (count > 1 && !open_->steps) {
    open_->step = 0;  // which of the epochs had how many is not known
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double end_s =
        start_s + (until_s - start_s) * static_cast<double>(i + 1) / static_cast<double>(count);
    const auto epoch = open_->epoch;
    end(end_s);
    if (i + 1 < count) {
      release();
      open_ = OpenEpoch{.epoch = epoch + 1, .start_s = end_s};
    }
  }
}

void RowBuilder::end(double at_s) {
  if (first_.print && !first_.print->by_part && steps_.last) {
    lead_back(static_cast<double>(steps_.last->step), steps_.last->at_s);
  }
  if (first_.print && !first_.print->by_part && open_->steps) {
    lead_back(static_cast<double>(*open_->steps), at_s);
  }
  if (first_.print) {
    // One print only: the epoch began as the bar says, else with the program. Several of one time:
    // their steps take less than the times resolve.
    const double since_s =
        static_cast<double>(open_->step) > first_.print->done && !first_.print->by_part
            ? 0
            : first_.print->at_s;
    open_->start_s = std::max(0.0, first_.print->at_s - first_.print->elapsed_s.value_or(since_s));
    first_.begin_unknown = !first_.print->elapsed_s;
    state_start(open_->start_s);
    first_.print.reset();
  }
  double wall_s = at_s - open_->start_s - open_->evaluate_s;
  if (open_->stated_s && wall_s > *open_->stated_s + 1) {  // something else ran before the bar
    open_->start_s += wall_s - *open_->stated_s;
    wall_s = *open_->stated_s;
  }
  before_.durations_taken += open_->lasts_s ? 1 : 0;
  wall_s = open_->lasts_s.value_or(wall_s);  // the times of steps are rounded
  if (open_->exact_s && std::abs(wall_s - *open_->exact_s) <= 1) {
    wall_s = *open_->exact_s;
  }
  if (open_->cut || open_->doubt_s > most_doubt * wall_s) {
    wall_s = 0;
  }
  if (first_.begin_unknown && wall_s > 0) {
    result_.rows.spans.push_back(
        record::run_span(record::begin_unknown_span, open_->start_s, open_->start_s + wall_s));
  }
  first_.begin_unknown = false;
  before_.announced = open_->announced;
  before_.evaluated = evaluation_.since_train;
  before_.evaluate_s = open_->evaluate_s;
  held_ = record::Epoch{.epoch = open_->epoch,
                        .start_s = open_->start_s,
                        .wall_s = std::max(0.0, wall_s),
                        .evaluate_s = open_->evaluate_s,
                        .samples = open_->samples,
                        .iterations = open_->steps.value_or(open_->step)};
  for (const auto& [name, value] : open_->metrics) {
    add_metric(open_->epoch, name, value, 0);
  }
  add_metrics_of_parts();
  times_.ended_s = at_s;
  before_.last_step = open_->step;
  if (numbers_.repeats(open_->epoch)) {
    held_.reset();
  } else {
    ++result_.position.epochs_done;
    before_.end_s = at_s;
    before_.wall_s = wall_s > 0 ? wall_s : before_.wall_s;
    before_.steps = held_->iterations;
  }
  open_.reset();
}

/// What was printed with a part of the epoch: at its step, if the steps are known by now; else the
/// last of each name counts.
void RowBuilder::add_metrics_of_parts() {
  LastValues last;
  for (const auto& [part, metric] : open_->of_parts) {
    if (open_->steps) {
      add_metric(open_->epoch, metric.name, metric.value,
                 std::llround(part * static_cast<double>(*open_->steps)));
    } else {
      last.set(metric);
    }
  }
  for (const auto& [name, value] : last) {
    add_metric(open_->epoch, name, value, 0);
  }
}

void RowBuilder::release() {
  if (held_) {
    result_.rows.epochs.push_back(*held_);
  }
  held_.reset();
}

/// How long the steps take that the open epoch has not printed yet, at the rate of those before.
double RowBuilder::missing_s() const {
  if (!open_ || !open_->steps || open_->step < 1 || open_->step >= *open_->steps) {
    return 0;
  }
  const double from_s = first_.print ? first_.print->at_s : open_->start_s;
  const double steps = static_cast<double>(open_->step) - (first_.print ? first_.print->done : 0);
  if (steps <= 0) {
    return 0;
  }
  const double rate_s = (times_.trained_s - from_s - open_->evaluate_s) / steps;
  return std::max(0.0, rate_s) * static_cast<double>(*open_->steps - open_->step);
}

/// The last epoch is whole if the output says so; if it came to an evaluation, as the epoch before
/// did; or, where it states no ends, if its last print stands where the epoch before had its own:
/// then its missing steps take as long as those before.
void RowBuilder::end_last() {
  const double end_s = evaluation_.since_train ? times_.ended_s : times_.last_seen_s();
  if (open_->whole()) {
    end(end_s);
    return;
  }
  if (before_.evaluated && evaluation_.since_train && !before_.states_ends &&
      open_->step >= before_.last_step) {
    end(end_s);
    return;
  }
  const bool as_before =
      result_.position.epochs_done > 0 && open_->step >= before_.last_step && !before_.states_ends;
  const auto missing = open_->missing();
  const bool last_print = missing < steps_.stride || missing == 0;
  if (open_->step < 1 || !(as_before || (evaluation_.since_train && last_print && open_->steps))) {
    return;
  }
  end(evaluation_.since_train ? end_s : end_s + missing_s());
}

/// The only duration that a log states, after the last of several epochs, is that of the run:
/// "Done. Took 300.9 seconds".
void RowBuilder::take_total() {
  const auto& epochs = result_.rows.epochs;
  const bool alone =
      std::ranges::count_if(epochs, [](const auto& row) { return row.wall_s > 0; }) == 1;
  if (clock_.timed || before_.durations_stated != 1 || epochs.size() < 2 || !alone ||
      epochs.back().wall_s == 0) {
    return;
  }
  result_.rows.total_s = std::exchange(result_.rows.epochs.back().wall_s, 0);
}

/// Where steps of the run are counted on, the first epoch of a log that shows fewer of them than
/// all others, and not the first of the run, began before the log, or before the run went on.
/// A stated duration says nothing about the first epoch where it is far from what the stamps show
/// of all others.
void RowBuilder::doubt_first() {
  auto& epochs = result_.rows.epochs;
  if (first_.by_stated && lost_.far_apart > 1 && lost_.far_apart + 2 > std::ssize(epochs)) {
    epochs.front().wall_s = 0;
  }
  if (!options_.begin_anywhere || !steps_.counts_on || epochs.size() < 2 ||
      steps_.first_printed.value_or(0) <= steps_.stride) {
    return;
  }
  const auto fewest = std::min_element(epochs.begin() + 1, epochs.end(), [](auto& a, auto& b) {
                        return a.iterations < b.iterations;
                      })->iterations;
  if (epochs.front().iterations + std::max<std::int64_t>(1, steps_.stride) <= fewest) {
    epochs.front().wall_s = 0;
  }
}

void RowBuilder::finish() {
  if (evaluation_.since_s) {
    close_evaluation({.begins_epoch = true}, times_.now_s);
  }
  if (open_) {
    leave_out_last();
    end_last();
  }
  release();
  take_total();
  doubt_first();
  const bool all_stated = before_.durations_taken >= std::ssize(result_.rows.epochs);
  const bool steps_have_times = std::ranges::any_of(
      result_.rows.iterations, [](const auto& step) { return step.step_s > 0; });
  if (!clock_.timed && !clock_.stated.is_of_run() && (all_stated || !steps_have_times) &&
      undo_running_sums(result_.rows.epochs) && steps_have_times) {
    result_.rows.iterations.clear();  // they stand where the sums put them
  }
  const double first_s = result_.rows.epochs.empty() ? 0 : result_.rows.epochs.front().start_s;
  if (options_.begin_anywhere && (first_s < 0 || !clock_.timed)) {
    result_.shifted_s = first_s;
    shift(result_.rows, -first_s);
  }
}

}  // namespace epochcast::progress
