#include "src/measure/progress/rows/begins.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::progress {
namespace {

/// How long a new attempt had been training when it printed this, as the epoch before went.
double lead_s(const RunSoFar& run, const Reading& reading) {
  constexpr double unknown_s = 1e9;
  if (reading.ends_epoch) {
    return reading.duration_s.value_or(unknown_s);
  }
  if (reading.elapsed_s && !reading.of_run) {
    return *reading.elapsed_s;
  }
  if (reading.step && run.steps.counts_on && run.steps.stride > 0) {
    return run.steps.step_s * static_cast<double>(run.steps.stride);
  }
  const auto steps = run.before.steps;
  if (reading.step && steps > 0) {
    return run.before.wall_s * static_cast<double>(*reading.step) / static_cast<double>(steps);
  }
  return reading.part ? *reading.part * run.before.wall_s : unknown_s;
}

/// Of the first line, which ends the epoch or is its heading.
FirstBegin begin_by_end(const RunSoFar& run, const Reading& reading, double at_s) {
  FirstBegin found{.first = run.first};
  const auto& clock = run.clock;
  // The clock of a text that begins in the middle of a run says nothing about its first epoch.
  const bool joins = !clock.timed && reading.epoch.value_or(0) > 0 && !reading.since_epoch;
  const bool told = clock.timed && reading.restart.what == Statement::new_phase;  // "Fold 1"
  const double from_s =
      std::min(at_s, std::max(told ? reading.restart.at_s : 0.0,
                              run.first.told_s.value_or(clock.timed ? run.first.not_before_s : 0)));
  if (reading.duration_s && !reading.begins_epoch) {
    found.first.by_stated = true;
    found.start_s = stated_begin_s(run.options, reading, at_s, at_s);
  } else if (reading.begins_epoch || joins) {
    found.start_s = at_s;
  } else if (reading.since_epoch && reading.clock_s) {  // a clock of the rounds
    const bool whole = *reading.clock_s == std::floor(*reading.clock_s);
    found.start_s = std::max(from_s, at_s - *reading.clock_s - (whole ? 0.5 : 0));
  } else {
    found.first.begin_unknown = clock.timed && !told && !run.first.told_s &&
                                (!reading.since_epoch || reading.since_epoch == reading.epoch);
    found.start_s = from_s;
  }
  return found;
}

}  // namespace

FirstBegin begin_of_first(const RunSoFar& run, const Reading& reading, double at_s) {
  if (reading.ends_epoch || reading.begins_epoch) {
    return begin_by_end(run, reading, at_s);
  }
  FirstBegin found{.first = run.first};
  const double steps_s = reading.step_s.value_or(0) * static_cast<double>(reading.step.value_or(0));
  const bool states = reading.elapsed_s || steps_s > 0;
  const double done = reading.step ? static_cast<double>(*reading.step) : reading.part.value_or(0);
  // A bar states its time in whole seconds: the rate of the steps is more exact.
  const bool coarse =
      reading.elapsed_s && run.clock.timed && *reading.elapsed_s == std::floor(*reading.elapsed_s);
  if ((!states || coarse) && done > 0 && !reading.of_run && (run.clock.timed || reading.clock_s)) {
    found.first.print = FirstEpoch::Print{.done = done,
                                          .at_s = at_s,
                                          .samples = reading.samples.value_or(0),
                                          .elapsed_s = coarse ? reading.elapsed_s : std::nullopt,
                                          .by_part = !reading.step};
  }
  found.first.after_first_batch = !states && done == 0 && reading.part && run.clock.timed;
  const double before_s = reading.elapsed_s ? *reading.elapsed_s : steps_s;
  found.start_s = before_s > at_s && run.options.begin_anywhere ? at_s - before_s
                                                                : std::max(0.0, at_s - before_s);
  return found;
}

Begin begin_of(const RunSoFar& run, std::int64_t epoch, const Reading& reading, double at_s,
               std::optional<double> first_s) {
  constexpr double many = 10;
  const auto& before = run.before;
  Begin found{.start_s = reading.begins_epoch ? at_s : first_s.value_or(run.times.ended_s)};
  // Nothing shows how long before its first print the first epoch began.
  found.cut = !run.numbers.begun && run.clock.timed && !reading.begins_epoch &&
              !reading.ends_epoch && !reading.step && !reading.part && !reading.elapsed_s;
  if (run.lost.resumes && !run.numbers.repeats(epoch)) {
    const bool stated = reading.duration_s && reading.ends_epoch;
    const double least_s = stated ? before.end_s.value_or(found.start_s) : found.start_s;
    const double led_s = at_s - lead_s(run, reading);
    found.start_s = reading.begins_epoch ? at_s : std::max(least_s, led_s);
    // Steps that were done before the run went on.
    found.cut = reading.step && !run.steps.counts_on && before.steps > 0 &&
                found.start_s - led_s > most_doubt * before.wall_s;
    if (!reading.begins_epoch && !stated && !reading.elapsed_s) {
      found.doubt_s =
          found.start_s - std::max(least_s, reading.restart.last_line_s - run.lost.sum_s);
    }
  }
  const bool next_phase =
      run.numbers.begun && !reading.begins_epoch && reading.restart.what == Statement::new_phase;
  if (next_phase && run.clock.timed) {  // "Fold 2", "start training"
    const double said_s = reading.restart.at_s - run.lost.sum_s;
    const double told_s = std::max(run.times.told_s, said_s < at_s ? said_s : 0);
    found.start_s = std::max(found.start_s, std::min(told_s, at_s));
  }
  // A fold whose first line is far from the last one of the fold before began in between.
  if (next_phase && before.wall_s > 0 && at_s - found.start_s > many * before.wall_s) {
    found.doubt_s = at_s - found.start_s;
  }
  found.doubt_s = run.options.begin_anywhere ? found.doubt_s : 0;
  return found;
}

double stated_begin_s(const RowOptions& options, const Reading& reading, double at_s,
                      double first_line_s) {
  const double start_s = at_s - *reading.duration_s - reading.evaluation_s.value_or(0);
  return options.begin_within || (options.begin_anywhere && first_line_s <= 0)
             ? start_s
             : std::max(0.0, start_s);
}

std::optional<double> begin_by_rate_s(const RunSoFar& run, double done, double at_s) {
  const auto& print = *run.first.print;
  const double since_s = at_s - print.at_s - run.open->evaluate_s;
  if (!(done > print.done) || !(since_s > 0)) {
    return std::nullopt;
  }
  const double start_s = print.at_s - since_s / (done - print.done) * print.done;
  if (!print.elapsed_s) {
    return start_s;
  }
  const double latest_s = print.at_s - *print.elapsed_s;
  return std::clamp(start_s, latest_s - 1, latest_s);
}

std::optional<double> begin_by_parts_s(const RunSoFar& run, std::int64_t epoch, const Reading& next,
                                       double at_s) {
  const auto [open, print] = std::tie(run.open, run.first.print);
  if (!print || print->elapsed_s) {
    return std::nullopt;
  }
  const double done = print->by_part ? print->done
                      : open->steps  ? print->done / static_cast<double>(*open->steps)
                                     : 0;
  const double rate_s =
      (at_s - print->at_s) / (static_cast<double>(epoch - open->epoch) + part_done(next) - done);
  const double start_s = print->at_s - rate_s * done;
  return run.options.begin_anywhere ? start_s : std::max(0.0, start_s);
}

}  // namespace epochcast::progress
