#include "src/measure/progress/rows/ends.hpp"

#include <algorithm>

namespace epochcast::progress {
std::optional<double> end_of_printed_s(const RunSoFar& run) {
  const auto& open = run.open;
  if (!open || !run.steps.last || open->step < 1 || run.steps.step_s <= 0) {
    return std::nullopt;
  }
  if (open->steps) {
    return run.times.last_seen_s() + run.steps.step_s * static_cast<double>(open->missing());
  }
  return open->step < run.before.last_step ? std::nullopt : std::optional(run.times.last_seen_s());
}

double end_before(const RunSoFar& run, const Reading& next, double at_s) {
  const auto [open, steps, clock] = std::tie(*run.open, run.steps, run.clock);
  const bool evaluated = run.evaluation.since_train;
  const double from_s = run.times.last_seen_s();
  if (!clock.timed && !evaluated && !next.clock_s && !clock.stated.bar_goes_on() &&
      !next.ends_epoch && !next.begins_epoch && open.steps) {
    return std::min(at_s, from_s + missing_s(run));
  }
  if (next.begins_epoch) {  // another fold may have been prepared after the evaluation
    return evaluated && next.restart.what == Statement::new_phase ? from_s : at_s;
  }
  if (evaluated) {
    return from_s;
  }
  if (steps.goes_on(next)) {
    // Steps of the run: the last one printed was the epoch's last.
    const auto missing =
        steps.stands_first(next) ? static_cast<double>(*next.step - 1 - steps.last_printed) : 0;
    return from_s + (at_s - from_s) * missing / (missing + 1);
  }
  const bool by_steps = open.steps && next.step;
  const double missing =
      by_steps ? static_cast<double>(open.missing()) : std::max(0.0, 1 - open.part);
  const auto next_step = static_cast<double>(next.step.value_or(0));
  const double step_s = clock.timed ? steps.step_s : next.step_s.value_or(steps.step_s);
  if (!open.steps && next.step && step_s > 0) {
    return std::max(from_s, at_s - step_s * next_step);
  }
  const double done = by_steps ? next_step : next.part.value_or(0);
  return missing + done > 0 && (by_steps || next.part)
             ? from_s + (at_s - from_s) * missing / (missing + done)
             : at_s;
}

double missing_s(const RunSoFar& run) {
  const auto [open, print] = std::tie(run.open, run.first.print);
  if (!open || !open->steps || open->step < 1 || open->step >= *open->steps) {
    return 0;
  }
  const double from_s = print ? print->at_s : open->start_s;
  const double steps = static_cast<double>(open->step) - (print ? print->done : 0);
  if (steps <= 0) {
    return 0;
  }
  const double rate_s = (run.times.trained_s - from_s - open->evaluate_s) / steps;
  return std::max(0.0, rate_s) * static_cast<double>(open->missing());
}

double end_of_steps(const RunSoFar& run, double at_s) {
  const auto& open = run.open;
  const double from_s = run.times.last_seen_s();
  const auto missing = open ? open->steps.value_or(0) - open->step : 0;
  const auto stride = run.steps.stride;
  const bool within = stride > 0 ? missing >= stride : open && missing > open->step;
  if (!open || !open->steps || within) {
    return from_s;
  }
  const double until_s = from_s + missing_s(run);
  return run.clock.timed ? std::min(until_s, at_s) : until_s;
}

std::optional<double> end_of_last_s(const RunSoFar& run) {
  const auto [open, before, times] = std::tie(*run.open, run.before, run.times);
  const bool evaluated = run.evaluation.since_train;
  const double end_s = evaluated ? times.ended_s : times.last_seen_s();
  const bool as_far = open.step >= before.last_step && !before.states_ends;
  if (open.whole() || (before.evaluated && evaluated && as_far)) {
    return end_s;
  }
  const auto missing = open.missing();
  const bool last_print = missing < run.steps.stride || missing == 0;
  if (open.step < 1 ||
      !((run.position.epochs_done > 0 && as_far) || (evaluated && last_print && open.steps))) {
    return std::nullopt;
  }
  return evaluated ? end_s : end_s + missing_s(run);
}

double end_of_attempt_s(const RunSoFar& run, const Restart& restart, double at_s) {
  const double end_s = restart.at_s - restart.silence_s - run.lost.sum_s;
  const double least_s = run.times.last_seen_s();
  return std::clamp(end_s, least_s, std::max(at_s, least_s));
}

double wait_for_evaluation_s(const EpochsBefore& before, double wall_s) {
  constexpr double settle_s = 1;  // one that follows an epoch begins within this time
  constexpr double longest_s = 1e9;
  if (before.announced) {
    return longest_s;  // the next heading ends it
  }
  return std::max(settle_s, before.evaluation_s ? 2 * *before.evaluation_s : 10 * wall_s);
}

namespace {

/// Another evaluation may take this much longer than those before.
constexpr double alike = 1.5;

/// Whether values were printed after the end of the last epoch, whose evaluation is not known.
bool tells_after_end(const RunSoFar& run) {
  return run.times.others.values_s && !run.evaluation.since_train && run.before.evaluate_s == 0 &&
         run.numbers.begun && run.clock.timed && !run.clock.unstamped;
}

/// An evaluation after the end of an epoch, before the heading of the next one. What is printed
/// between folds may be of a whole fold.
std::optional<Between> after_end(const RunSoFar& run, const Reading& next) {
  constexpr double least = 0.01;
  if (!tells_after_end(run) || !next.begins_epoch) {
    return std::nullopt;
  }
  const Between found{
      .evaluation = true, .from_s = run.times.ended_s, .until_s = *run.times.others.last_values_s};
  const double took_s = found.until_s - found.from_s;
  const bool as_before = took_s <= alike * run.before.evaluation_s.value_or(0);
  const bool of_epoch = next.restart.what == Statement::none || as_before;
  return of_epoch && took_s > least * run.before.wall_s ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<Between> between_epochs(const RunSoFar& run, const Reading& next, double at_s) {
  constexpr double resolution_s = 1, likely = 0.7;
  const auto& [last_s, values_s, last_values_s] = run.times.others;
  const bool evaluated = run.evaluation.since_train;
  const double ended_s = run.times.ended_s;
  if (!run.open) {
    return after_end(run, next);
  }
  const auto end_s = end_of_printed_s(run);
  if (!last_s || !end_s || !run.clock.timed || run.clock.unstamped || next.ends_epoch ||
      !(next.step || (next.begins_epoch && !evaluated))) {
    return std::nullopt;
  }
  const auto [open, steps] = std::tie(*run.open, run.steps);
  const double stride_s =
      steps.step_s * static_cast<double>(std::max<std::int64_t>(1, steps.stride));
  const auto done = next.step.value_or(0) - (steps.goes_on(next) ? steps.last_printed : 0);
  const double begin_s =
      next.begins_epoch ? at_s : at_s - likely * steps.step_s * static_cast<double>(done);
  const bool tells_values = values_s && !evaluated;
  const Between found{.evaluation = tells_values,
                      .from_s = evaluated ? ended_s : *end_s,
                      .until_s = tells_values && !open.steps ? *last_values_s : *last_s};
  const bool all_printed = open.steps && open.missing() == 0;
  const double least_s = evaluated || all_printed ? 0 : (open.steps ? 0.5 : 1.5) * stride_s;
  const bool among_steps = found.until_s > begin_s + (run.clock.coarse ? resolution_s : 0);
  return among_steps || found.until_s - found.from_s < resolution_s + least_s
             ? std::nullopt
             : std::optional(found);
}

std::optional<Between> after_last(const RunSoFar& run) {
  const auto& [last_s, values_s, last_values_s] = run.times.others;
  const double before_s = run.before.evaluation_s.value_or(0);
  const double ended_s = run.times.ended_s;
  if (!run.open) {
    const bool as_before = tells_after_end(run) && before_s > 0 && *values_s > ended_s &&
                           *values_s - ended_s <= alike * before_s;
    return as_before
               ? std::optional(Between{.evaluation = true, .from_s = ended_s, .until_s = *values_s})
               : std::nullopt;
  }
  const auto end_s = end_of_printed_s(run);
  const bool as_before = run.before.evaluated && run.open->step >= run.before.last_step;
  if (!values_s || !end_s || !as_before || run.evaluation.since_train || !run.clock.timed ||
      run.clock.unstamped) {
    return std::nullopt;
  }
  const bool all = *last_values_s - *end_s <= alike * run.before.evaluate_s;
  const double until_s = all ? *last_values_s : *values_s;
  return until_s > *end_s
             ? std::optional(Between{.evaluation = true, .from_s = *end_s, .until_s = until_s})
             : std::nullopt;
}

}  // namespace epochcast::progress
