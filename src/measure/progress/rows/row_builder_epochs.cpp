#include <algorithm>
#include <cmath>

#include "src/measure/progress/rows/begins.hpp"
#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {
namespace {

/// The stated duration of an epoch, which may be that of its steps and its evaluation together.
double lasts_without_evaluation_s(const OpenEpoch& open) {
  constexpr double alike = 0.02, resolution_s = 1.5;
  const double slack_s = alike * *open.lasts_s + resolution_s;
  const bool of_both = open.steps && open.step >= *open.steps && open.evaluate_s > slack_s &&
                       std::abs(open.printed_s + open.evaluate_s - *open.lasts_s) <= slack_s;
  return *open.lasts_s - (of_both ? open.evaluate_s : 0);
}

/// Whether more steps were done, or may have been, after the last one that was printed: no line
/// says how many the epoch has.
bool ends_unseen(const RunSoFar& run, double until_s) {
  constexpr double resolution_s = 1;
  const auto& steps = run.steps;
  if (steps.stride < 2 || !steps.last) {
    return false;
  }
  const double least_s = steps.step_s + (run.clock.coarse ? resolution_s : 0);
  const double unseen_s = until_s - run.open->evaluate_s - run.open->last_print_s;
  return run.clock.timed ? steps.step_s > 0 && unseen_s > least_s : run.open->lasts_s.has_value();
}

/// More epochs than that do not pass between two prints.
constexpr std::int64_t most_at_once = 10'000;

}  // namespace

void RowBuilder::change_epoch(std::int64_t epoch, const Reading& reading, double at_s) {
  const auto [open, steps, numbers] = std::tie(run_.open, run_.steps, run_.numbers);
  const bool shares = run_.clock.timed || run_.clock.stated.is_of_run();
  if (open && epoch > open->epoch + 1 && shares) {
    if (const auto start_s = begin_by_parts_s(run_, epoch, reading, at_s)) {
      open->start_s = *start_s;
      state_start(*start_s);
      run_.first.print.reset();
    }
    const double from_s = open->start_s;
    const double done = part_done(reading);
    const auto epochs = static_cast<double>(epoch - open->epoch);
    end_several(epoch,
                reading.begins_epoch ? at_s : from_s + (at_s - from_s) * epochs / (epochs + done));
  } else if (open) {
    if (steps.goes_on(reading)) {
      const bool known = open->steps.has_value();
      open->steps.reset();  // they were those of the run
      open->cut = false;    // which goes on from there
      if (steps.stands_first(reading)) {
        open->steps = *reading.step - 1 - steps.counted_from;
        open->cut = run_.evaluation.since_train && !known;  // when the steps ended is not known
      }
    }
    end(end_before(run_, reading, at_s));
  } else if (shares &&
             ((numbers.begun && epoch > numbers.next) || (!numbers.begun && reading.since_epoch))) {
    release();
    const auto first = numbers.begun ? numbers.next : *reading.since_epoch;
    const double from_s = numbers.begun ? run_.times.ended_s : 0;
    const auto epochs = static_cast<double>(epoch - first);
    const double until_s = from_s + (at_s - from_s) * epochs / (epochs + part_done(reading));
    if (epoch > first) {
      numbers.begun = true;
      open = OpenEpoch{.epoch = first, .start_s = from_s};
      end_several(epoch, until_s);
    }
  }
  begin(epoch, reading, at_s);
  if (steps.stands_first(reading)) {
    open->steps = run_.before.steps;
  }
}

void RowBuilder::begin(std::int64_t epoch, const Reading& reading, double at_s) {
  if (held_) {
    if (run_.first.after_first_batch) {
      add_first_batch(reading, at_s);
    }
    run_.before.evaluation_s = run_.before.evaluation_s.value_or(0);
    release();
  }
  const bool begun = run_.numbers.begun;
  std::optional<double> first_s;
  if (!begun && !reading.begins_epoch) {
    const auto found = begin_of_first(run_, reading, at_s);
    first_s = found.start_s;
    run_.first = found.first;
  }
  auto [start_s, doubt_s, cut] = begin_of(run_, epoch, reading, at_s, first_s);
  if (run_.lost.resumes && !run_.numbers.repeats(epoch)) {
    leave_out_lost_time(start_s);
  }
  const bool known_start = reading.begins_epoch || begun || (start_s < at_s && !run_.first.print);
  if (!begun && !run_.first.print) {
    state_start(start_s);
  }
  run_.numbers.begun = true;
  run_.evaluation.since_train = false;
  run_.times.trained_s = start_s;
  run_.before.last_step = run_.open ? 0 : run_.before.last_step;
  run_.open = OpenEpoch{.epoch = epoch, .start_s = start_s, .doubt_s = doubt_s};
  run_.open->announced = reading.begins_epoch;
  run_.open->cut = cut;
  if (reading.begins_epoch) {
    run_.clock.stated.begin_epoch(start_s);
  }
  run_.numbers.next = epoch + 1;
  run_.position.epoch = epoch;
  run_.position.step.reset();
  run_.position.steps.reset();
  run_.steps.last.reset();
  if (known_start) {
    run_.steps.first_of_time = run_.steps.last = StepPrint{.step = 0, .at_s = start_s};
  }
}

/// The first epoch was seen from the end of its first batch on. The next one, whose begin is known,
/// shows how long that took.
void RowBuilder::add_first_batch(const Reading& next, double at_s) {
  run_.first.after_first_batch = false;
  const double batch_s = at_s - run_.times.ended_s;
  if (next.begins_epoch || next.part.value_or(1) > 0 || !(batch_s < held_->wall_s / 2)) {
    return;
  }
  const double led_s = held_->start_s - batch_s;
  const double start_s = run_.options.begin_anywhere ? led_s : std::max(0.0, led_s);
  held_->wall_s += held_->start_s - start_s;
  held_->start_s = start_s;
}

void RowBuilder::state_start(double start_s) {
  if (run_.clock.timed && start_s > 0) {
    rows_.spans.push_back(record::run_span("init", 0, start_s));
  }
}

void RowBuilder::lead_back(double done, double at_s) {
  if (const auto start_s = begin_by_rate_s(run_, done, at_s)) {
    begin_first_at(*start_s);
  }
}

/// Where the first epoch began, of which the first print is known.
void RowBuilder::begin_first_at(double start_s) {
  const auto print = *std::exchange(run_.first.print, {});
  const bool anywhere =
      run_.options.begin_within || (run_.options.begin_anywhere && print.at_s <= 0);
  start_s = anywhere || !run_.clock.timed ? start_s : std::max(0.0, start_s);
  run_.open->start_s = start_s;
  state_start(start_s);
  if (!print.by_part) {
    add_step(std::llround(print.done), 0, start_s, print.at_s, print.samples);
    std::ranges::sort(rows_.iterations, {}, &record::Iteration::start_s);
  }
}

/// Lines came too seldom for each epoch: those that passed share the time.
void RowBuilder::end_several(std::int64_t next, double until_s) {
  const auto count = std::min(next - run_.open->epoch, most_at_once);
  const double start_s = run_.open->start_s;
  if (count > 1 && !run_.open->steps) {
    run_.open->step = 0;  // which of the epochs had how many is not known
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double end_s =
        start_s + (until_s - start_s) * static_cast<double>(i + 1) / static_cast<double>(count);
    const auto epoch = run_.open->epoch;
    end(end_s);
    if (i + 1 < count) {
      release();
      run_.open = OpenEpoch{.epoch = epoch + 1, .start_s = end_s};
    }
  }
}

/// One print only: the first epoch began as the bar says, else with the program. Several of one
/// time: their steps take less than the times resolve.
void RowBuilder::end_first() {
  const auto print = *std::exchange(run_.first.print, {});
  const bool several = static_cast<double>(run_.open->step) > print.done && !print.by_part;
  run_.first.begin_unknown = !print.elapsed_s;
  run_.open->start_s =
      std::max(0.0, print.at_s - print.elapsed_s.value_or(several ? 0 : print.at_s));
  state_start(run_.open->start_s);
}

/// How long the open epoch took; 0: it is not known.
double RowBuilder::wall_s_until(double at_s) {
  auto& open = *run_.open;
  double wall_s = at_s - open.start_s - open.evaluate_s;
  if (open.stated_s && wall_s > *open.stated_s + 1) {  // something else ran before the bar
    open.start_s += wall_s - *open.stated_s;
    wall_s = *open.stated_s;
  }
  wall_s = open.lasts_s ? lasts_without_evaluation_s(open) : wall_s;  // times of steps are rounded
  if (open.exact_s && std::abs(wall_s - *open.exact_s) <= 1) {
    wall_s = *open.exact_s;
  }
  return open.cut || open.doubt_s > most_doubt * wall_s ? 0 : std::max(0.0, wall_s);
}

void RowBuilder::end(double at_s) {
  const auto& print = run_.first.print;
  if (print && !print->by_part && run_.steps.last) {
    lead_back(static_cast<double>(run_.steps.last->step), run_.steps.last->at_s);
  }
  if (print && !print->by_part && run_.open->steps) {
    lead_back(static_cast<double>(*run_.open->steps), at_s);
  }
  if (print) {
    end_first();
  }
  const double wall_s = wall_s_until(at_s);
  const auto& open = *run_.open;
  if (std::exchange(run_.first.begin_unknown, false) && wall_s > 0) {
    rows_.spans.push_back(
        record::run_span(record::begin_unknown_span, open.start_s, open.start_s + wall_s));
  }
  for (const auto& [name, value] : open.metrics) {
    add_metric(open.epoch, name, value, 0);
  }
  add_metrics_of_parts();
  run_.times.ended_s = at_s;
  auto& before = run_.before;
  before.durations_taken += open.lasts_s ? 1 : 0;
  before.announced = open.announced;
  before.evaluated = run_.evaluation.since_train;
  before.evaluate_s = open.evaluate_s;
  before.last_step = open.step;
  held_.reset();
  if (!run_.numbers.repeats(open.epoch)) {
    held_ =
        record::Epoch{.epoch = open.epoch,
                      .start_s = open.start_s,
                      .wall_s = wall_s,
                      .evaluate_s = open.evaluate_s,
                      .samples = open.samples,
                      .iterations = open.steps.value_or(ends_unseen(run_, at_s) ? 0 : open.step)};
    ++run_.position.epochs_done;
    before.end_s = at_s;
    before.wall_s = wall_s > 0 ? wall_s : before.wall_s;
    before.steps = held_->iterations;
  }
  run_.open.reset();
}

/// What was printed with a part of the epoch: at its step, if the steps are known by now; else the
/// last of each name counts.
void RowBuilder::add_metrics_of_parts() {
  LastValues last;
  const auto& open = *run_.open;
  for (const auto& [part, metric] : open.of_parts) {
    if (open.steps) {
      add_metric(open.epoch, metric.name, metric.value,
                 std::llround(part * static_cast<double>(*open.steps)));
    } else {
      last.set(metric);
    }
  }
  for (const auto& [name, value] : last) {
    add_metric(open.epoch, name, value, 0);
  }
}

void RowBuilder::release() {
  if (held_) {
    rows_.epochs.push_back(*held_);
  }
  held_.reset();
}

}  // namespace epochcast::progress
