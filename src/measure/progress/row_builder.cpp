#include "src/measure/progress/row_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace epochcast::progress {
namespace {

/// An evaluation that follows an epoch begins within this time, or is not counted to the epoch.
constexpr double settle_s = 1;
constexpr double at_most_s = 1e9;
/// The time of an epoch of which less is known counts as not known.
constexpr double most_doubt = 0.25;
constexpr std::size_t most_waiting = 8192;
constexpr std::size_t most_names = 64;
/// More epochs than that do not pass between two prints.
constexpr std::int64_t most_at_once = 10'000;

bool complete(const Reading& reading) {
  return reading.step && reading.steps && *reading.step >= *reading.steps;
}

bool countable(const std::optional<std::int64_t>& count) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  return !count || (*count >= 0 && *count <= most);
}

/// Without what cannot be: such a number was cut off, or is something else. std::nullopt if nothing
/// is left of the reading.
std::optional<Reading> possible(Reading reading) {
  constexpr double longest_s = 1e9;  // 30 years
  if (!countable(reading.epoch) || !countable(reading.epochs) || !countable(reading.step) ||
      !countable(reading.steps) || !countable(reading.samples)) {
    return std::nullopt;
  }
  for (auto* time_s : {&reading.step_s, &reading.elapsed_s, &reading.duration_s, &reading.clock_s,
                       &reading.evaluation_s}) {
    if (*time_s && !(**time_s >= 0 && **time_s <= longest_s)) {
      time_s->reset();
    }
  }
  if (reading.part && !(*reading.part >= 0 && *reading.part <= 1)) {
    reading.part.reset();
  }
  std::erase_if(reading.metrics, [](const auto& metric) { return !std::isfinite(metric.value); });
  return reading;
}

void set(std::map<std::string, double>& values, const NamedValue& value) {
  if (values.size() < most_names || values.contains(value.name)) {
    values[value.name] = value.value;
  }
}

/// What the reading says is done of its epoch, in epochs.
double part_of(const Reading& reading) {
  if (reading.ends_epoch) {
    return 1;
  }
  if (reading.step && reading.steps && *reading.steps > 0) {
    return static_cast<double>(*reading.step) / static_cast<double>(*reading.steps);
  }
  return reading.part.value_or(0);
}

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
  double time_s = at_s ? *at_s - lost_s_ : stated_time_s(reading);
  const bool states = reading.elapsed_s || reading.step_s || reading.clock_s;
  guesses_times_ = guesses_times_ || (unstamped_ && !states);
  if (at_s && since_s && *since_s < *at_s && states) {
    time_s = std::min(time_s, std::max(time_s - (*at_s - *since_s), stated_time_s(reading)));
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

/// A new bar that states more time than the one before, and far more than its own steps take,
/// counts on from it. Lightning before 1.7 draws such bars.
bool RowBuilder::clock_goes_on(const Reading& reading) const {
  constexpr double far = 10;
  if (reading.phase == Phase::evaluate || !open_ || open_->step < 1 || !reading.step ||
      *reading.step < 1 || *reading.elapsed_s <= train_elapsed_s_ || train_elapsed_s_ <= 0) {
    return false;
  }
  const auto rate_s = [](double time_s, std::int64_t steps) {
    return time_s / static_cast<double>(steps);
  };
  return rate_s(*reading.elapsed_s, *reading.step) > far * rate_s(train_elapsed_s_, open_->step);
}

/// Where no line has a time: the clock is what the program states.
double RowBuilder::stated_time_s(const Reading& reading) {
  double time_s = now_s_;
  if (reading.clock_s && !(reading.phase == Phase::evaluate && reading.duration_s)) {
    times_of_run_ = true;
    return std::max(time_s, *reading.clock_s);
  }
  if (reading.elapsed_s && reading.of_run) {
    times_of_run_ = true;
    return std::max(time_s, *reading.elapsed_s);
  }
  const bool evaluates = reading.phase == Phase::evaluate;
  const bool other_bar =
      evaluates ? !evaluating_since_s_
                : !open_ || (reading.epoch && *reading.epoch + offset_ != open_->epoch) ||
                      evaluating_since_s_.has_value();
  if (reading.elapsed_s) {
    const bool again = evaluates && *reading.elapsed_s < bar_elapsed_s_;
    bar_goes_on_ = bar_goes_on_ || clock_goes_on(reading);
    if ((other_bar || again) && !bar_goes_on_) {
      bar_base_s_ = open_ && !evaluates && reading.epoch && *reading.epoch + offset_ == open_->epoch
                        ? std::max(open_->start_s, now_s_ - *reading.elapsed_s)
                        : now_s_ + (evaluating_since_s_ ? 0 : missing_s());
    }
    bar_elapsed_s_ = *reading.elapsed_s;
    train_elapsed_s_ = evaluates ? train_elapsed_s_ : bar_elapsed_s_;
    time_s = std::max(time_s, bar_base_s_ + *reading.elapsed_s);
  }
  if (evaluates && reading.duration_s) {
    time_s =
        std::max(time_s, evaluating_since_s_.value_or(now_s_ + missing_s()) + *reading.duration_s);
  }
  const bool same = open_ && (!reading.epoch || *reading.epoch + offset_ == open_->epoch);
  if (!evaluates && reading.step && reading.step_s) {
    const auto before = same && last_print_ ? last_print_->step + counted_from_
                        : same              ? open_->step
                                            : 0;
    time_s +=
        *reading.step_s * static_cast<double>(std::max<std::int64_t>(0, *reading.step - before)) +
        (same || evaluating_since_s_ ? 0 : missing_s());
  }
  if (!evaluates && reading.duration_s) {
    const double start_s = same ? open_->start_s + open_->evaluate_s : now_s_;
    time_s = std::max(time_s, start_s + *reading.duration_s + reading.evaluation_s.value_or(0));
  }
  return time_s;
}

/// "Epoch time: 148 s" on a line of its own, about the epoch that is open or has just ended.
void RowBuilder::state_duration(const Reading& reading) {
  const double duration_s = reading.duration_s.value_or(0);
  if (open_) {
    now_s_ = std::max(now_s_, open_->start_s + open_->evaluate_s + duration_s);
    last_train_s_ = now_s_;
  } else if (held_ && held_->wall_s == 0) {
    held_->wall_s = duration_s;
    now_s_ = std::max(now_s_, held_->start_s + held_->evaluate_s + duration_s);
    last_end_s_ = now_s_;
  }
  last_read_s_ = now_s_;
}

/// How long an epoch waits for an evaluation after it. What earlier epochs had tells; the first
/// waits ten times as long as it took itself.
double RowBuilder::wait_for_evaluation_s() const {
  if (announced_) {
    return at_most_s;  // the next heading ends it
  }
  if (evaluation_after_s_) {
    return std::max(settle_s, 2 * *evaluation_after_s_);
  }
  return std::max(settle_s, 10 * held_->wall_s);
}

void RowBuilder::tick(double at_s) {
  now_s_ = std::max(now_s_, at_s);
  if (timed_ && held_ && !evaluating_since_s_ && !begins_anywhere_ && !zero_start_ &&
      now_s_ - last_end_s_ >= wait_for_evaluation_s()) {
    release();
  }
}

void RowBuilder::evaluate(const Reading& reading, double at_s) {
  if (!begun_) {
    return;  // before the first epoch: part of the start-up
  }
  const bool just_begun = reading.step.value_or(0) == 0;
  if (evaluating_since_s_ && evaluation_whole_ && just_begun && reading.step) {
    close_evaluation({.epoch = reading.epoch}, at_s);
    evaluating_since_s_ = at_s;  // another one
  } else if (!evaluating_since_s_) {
    evaluating_since_s_ = just_begun && reading.step ? at_s : end_of_steps(at_s);
    at_s = std::max(at_s, *evaluating_since_s_);
    now_s_ = std::max(now_s_, at_s);
  }
  evaluation_whole_ = evaluation_whole_ || complete(reading);
  if (reading.step && !complete(reading)) {
    evaluation_whole_ = false;
  }
  if (open_ && reading.epoch.value_or(open_->epoch - offset_) + offset_ == open_->epoch) {
    open_->part = std::max(open_->part, reading.part.value_or(0));
  }
  if (reading.step || !evaluation_whole_) {
    last_end_s_ = at_s;
  }
  for (const auto& metric : reading.metrics) {
    set(evaluation_metrics_, metric);
  }
}

/// How long the steps take that the open epoch has not printed yet, at the rate of those before.
double RowBuilder::missing_s() const {
  if (!open_ || !open_->steps || open_->step < 1 || open_->step >= *open_->steps) {
    return 0;
  }
  const double from_s = first_ ? first_->at_s : open_->start_s;
  const double steps = static_cast<double>(open_->step) - (first_ ? first_->done : 0);
  if (steps <= 0) {
    return 0;
  }
  const double rate_s = (last_train_s_ - from_s - open_->evaluate_s) / steps;
  return std::max(0.0, rate_s) * static_cast<double>(*open_->steps - open_->step);
}

/// Where the training ended before an evaluation that is seen under way first.
double RowBuilder::end_of_steps(double at_s) const {
  const double from_s = last_seen_s();
  const auto missing = open_ ? open_->steps.value_or(0) - open_->step : 0;
  const bool within = last_stride_ > 0 ? missing >= last_stride_ : open_ && missing > open_->step;
  if (!open_ || !open_->steps || within) {
    return from_s;
  }
  const double until_s = from_s + missing_s();
  return timed_ ? std::min(until_s, at_s) : until_s;
}

void RowBuilder::close_evaluation(const Reading& next, double at_s) {
  const double end_s = evaluation_whole_ ? last_end_s_ : at_s;
  const double duration_s = std::max(0.0, end_s - *evaluating_since_s_);
  const bool within = open_ && !open_->whole() && !next.ends_epoch && !next.begins_epoch &&
                      next.epoch.value_or(open_->epoch - offset_) + offset_ == open_->epoch;
  const auto epoch = open_ ? open_->epoch : next_epoch_ - 1;
  if (duration_s > 0 && !repeats(epoch)) {
    rows_.spans.push_back({.name = within ? "evaluate_within" : "evaluate",
                           .epoch = epoch,
                           .start_s = *evaluating_since_s_,
                           .duration_s = duration_s});
  }
  for (const auto& [name, value] : evaluation_metrics_) {
    add_metric(epoch, name, value, within ? open_->step : 0);
  }
  if (open_) {
    open_->evaluate_s += duration_s;
  } else if (held_) {
    held_->evaluate_s += duration_s;
    evaluation_after_s_ = std::max(evaluation_after_s_.value_or(0), held_->evaluate_s);
  }
  if (last_print_) {
    last_print_->at_s = end_s;  // the steps after it do not take this time
  }
  last_end_s_ = end_s;
  evaluated_since_train_ = true;
  evaluation_whole_ = false;
  evaluating_since_s_.reset();
  evaluation_metrics_.clear();
}

bool RowBuilder::begins_again(const Reading& reading) const {
  const auto epoch = reading.epoch.value_or(0) + offset_;
  return reading.begins_epoch && reading.epoch && epoch < next_epoch_ &&
         (!open_ || open_->epoch != epoch || open_->step > 0);
}

std::int64_t RowBuilder::number_of(const Reading& reading) {
  if (!reading.epoch) {
    return open_ ? open_->epoch : next_epoch_;
  }
  const bool behind = *reading.epoch + offset_ < next_epoch_;
  const bool attempt = reading.restart.what == Statement::new_attempt;
  if (begun_ && !attempt && behind &&
      (reading.restart.what == Statement::new_phase || begins_again(reading))) {
    offset_ = next_epoch_ - *reading.epoch;
    position_.epochs = reading.epochs && *reading.epochs > 1
                           ? std::optional(*reading.epochs + offset_)
                           : std::nullopt;
  }
  return *reading.epoch + offset_;
}

/// A new attempt: what was open is lost, and the time until it began is no epoch's.
void RowBuilder::restart(const Reading& reading, double at_s) {
  const auto epoch = *reading.epoch + offset_;
  const bool silent =
      reading.restart.silence_s > 10 && reading.restart.silence_s > (at_s - last_seen_s()) / 2;
  if (open_ && (open_->whole() ||
                (silent && epoch == open_->epoch + 1 && open_->step >= last_step_before_))) {
    end(std::max(last_train_s_ + (evaluated_since_train_ ? 0 : missing_s()), last_end_s_));
  }
  const auto next = open_ ? open_->epoch : next_epoch_;
  const bool repeats_some =
      epoch < next_epoch_ && (!open_ || epoch < open_->epoch || !reading.step ||
                              *reading.step <= open_->step || last_raw_step_ == 0);
  if (epoch > next || !(repeats_some || silent)) {
    return;  // the statement was about something else
  }
  const auto done = open_ ? open_->epoch : next_epoch_;
  release();
  open_.reset();
  last_print_.reset();
  delivered_ = std::max(delivered_, done);
  next_epoch_ = epoch;
  resumes_ = true;
  last_end_s_ = std::max(last_end_s_, std::min(at_s, reading.restart.at_s - lost_s_));
  last_train_s_ = last_end_s_;
  counted_from_ = 0;
  last_raw_step_ = 0;
}

void RowBuilder::drop_open() {
  const auto of_open = [&](const auto& row) { return row.epoch == open_->epoch; };
  std::erase_if(rows_.iterations, of_open);
  std::erase_if(rows_.metrics, of_open);
  std::erase_if(rows_.spans, of_open);
  next_epoch_ = open_->epoch;
  open_.reset();
}

/// Where the clock is that of a log, the time between attempts does not count on it.
void RowBuilder::leave_out_lost_time(double& start_s) {
  if (begins_anywhere_ && delivered_end_s_) {
    const double lost_s = std::max(0.0, start_s - *delivered_end_s_);
    lost_s_ += lost_s;
    unapplied_s_ = lost_s;
    for (auto* time_s : {&start_s, &last_end_s_, &last_train_s_, &last_read_s_, &now_s_}) {
      *time_s -= lost_s;
    }
  }
  resumes_ = false;
}

/// Whether an earlier epoch than the last comes without a word about it: then the numbers cannot be
/// trusted. Values for an epoch that is over are allowed.
bool RowBuilder::falls_back(const Reading& reading, std::int64_t epoch) {
  const auto last = open_ ? open_->epoch : next_epoch_ - 1;
  if (!begun_ || epoch >= last || !reading.step || reading.of_run || !reading.epoch) {
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
  if (unstamped_ && complete(reading) && !reading.of_run) {
    open_->stated_s = reading.elapsed_s;
  }
  if (reading.evaluation_s && open_->evaluate_s == 0) {
    open_->evaluate_s = std::min(*reading.evaluation_s, std::max(0.0, at_s - open_->start_s));
  }
  add_metrics(reading, epoch);
  last_train_s_ = at_s;
  if (!reading.ends_epoch || !evaluated_since_train_) {
    evaluated_since_train_ = false;
  }
  if (reading.ends_epoch) {
    ends_stated_ = true;
    end(at_s);
  }
}

void RowBuilder::change_epoch(std::int64_t epoch, const Reading& reading, double at_s) {
  const bool shares = timed_ || times_of_run_;
  if (open_ && epoch > open_->epoch + 1 && shares) {
    begin_by_parts(epoch, reading, at_s);
    const double from_s = open_->start_s;
    const double done = part_of(reading);
    const auto epochs = static_cast<double>(epoch - open_->epoch);
    end_several(epoch,
                reading.begins_epoch ? at_s : from_s + (at_s - from_s) * epochs / (epochs + done));
  } else if (open_) {
    if (goes_on_counting(reading)) {
      open_->steps.reset();  // they were those of the run
    }
    end(end_before(reading, at_s));
  } else if (shares && ((begun_ && epoch > next_epoch_) || (!begun_ && reading.since_epoch))) {
    release();
    const auto first = begun_ ? next_epoch_ : *reading.since_epoch;
    const double from_s = begun_ ? last_end_s_ : 0;
    const auto epochs = static_cast<double>(epoch - first);
    const double until_s = from_s + (at_s - from_s) * epochs / (epochs + part_of(reading));
    if (epoch > first) {
      begun_ = true;
      open_ = Open{.epoch = first, .start_s = from_s};
      end_several(epoch, until_s);
    }
  }
  begin(epoch, reading, at_s);
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
      (at_s - first_->at_s) / (static_cast<double>(epoch - open_->epoch) + part_of(next) - done);
  open_->start_s = first_->at_s - rate_s * done;
  if (!begins_anywhere_) {
    open_->start_s = std::max(0.0, open_->start_s);
  }
  state_start(open_->start_s);
  first_.reset();
}

/// Where the open epoch ended, of which the next one's first print is here.
double RowBuilder::end_before(const Reading& next, double at_s) const {
  if (!timed_ && !evaluated_since_train_ && !next.clock_s && !bar_goes_on_ && !next.ends_epoch &&
      !next.begins_epoch && open_->steps) {
    return std::min(at_s, last_seen_s() + missing_s());
  }
  if (next.begins_epoch && !evaluated_since_train_) {
    return at_s;
  }
  const double from_s = last_seen_s();
  if (evaluated_since_train_ || next.begins_epoch) {
    return next.begins_epoch ? at_s : from_s;
  }
  if (goes_on_counting(next)) {
    return from_s;  // steps of the run: the last one printed was the epoch's last
  }
  const bool by_steps = open_->steps && next.step;
  const double missing =
      by_steps ? static_cast<double>(std::max<std::int64_t>(0, *open_->steps - open_->step))
               : std::max(0.0, 1 - open_->part);
  const auto next_step = next.step.value_or(0);
  if (!open_->steps && next.step && last_step_s_ > 0) {
    return std::max(from_s, at_s - last_step_s_ * static_cast<double>(next_step));
  }
  const double done = by_steps ? static_cast<double>(next_step) : next.part.value_or(0);
  return missing + done > 0 && (by_steps || next.part)
             ? from_s + (at_s - from_s) * missing / (missing + done)
             : at_s;
}

/// Where the first epoch of the run begins; std::nullopt in `first_` if its steps will show it.
double RowBuilder::start_of_first(const Reading& reading, double at_s) {
  const double steps_s = reading.step_s.value_or(0) * static_cast<double>(reading.step.value_or(0));
  if (reading.ends_epoch || reading.begins_epoch) {
    // The clock of a text that begins in the middle of a run says nothing about its first epoch.
    const bool joins = !timed_ && reading.epoch.value_or(0) > 0 && !reading.since_epoch;
    const bool told = timed_ && reading.restart.what == Statement::new_phase;  // "Fold 1"
    const double from_s = told ? std::min(reading.restart.at_s, at_s) : 0;
    const double before_s =
        reading.begins_epoch ? 0 : reading.duration_s.value_or(joins ? 0 : at_s - from_s);
    return std::max(0.0, at_s - before_s);
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
                   .elapsed_s = {},
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

/// How long a new attempt had been training when it printed this, as the epoch before went.
double RowBuilder::lead_s(const Reading& reading) const {
  const double unknown_s = at_most_s;
  if (reading.ends_epoch) {
    return reading.duration_s.value_or(unknown_s);
  }
  if (reading.elapsed_s && !reading.of_run) {
    return *reading.elapsed_s;
  }
  if (reading.step && counts_on_ && last_stride_ > 0) {
    return last_step_s_ * static_cast<double>(last_stride_);
  }
  const auto steps = delivered_steps_;
  if (reading.step && steps > 0) {
    return delivered_wall_s_ * static_cast<double>(*reading.step) / static_cast<double>(steps);
  }
  return reading.part ? *reading.part * delivered_wall_s_ : unknown_s;
}

void RowBuilder::begin(std::int64_t epoch, const Reading& reading, double at_s) {
  if (held_) {
    if (zero_start_) {
      add_first_batch(reading, at_s);
    }
    evaluation_after_s_ = evaluation_after_s_.value_or(0);
    release();
  }
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
    bar_base_s_ = start_s;
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
  start_s = begins_anywhere_ ? start_s : std::max(0.0, start_s);
  open_->start_s = start_s;
  state_start(start_s);
  if (!first_->by_part) {
    add_step(std::llround(first_->done), 0, start_s, first_->at_s, first_->samples);
    std::ranges::sort(rows_.iterations, {}, &record::Iteration::start_s);
  }
  first_.reset();
}

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
  const auto done = step_of(reading);
  if (done < 0) {
    return;
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

void RowBuilder::end(double at_s) {
  if (first_ && !first_->by_part && last_print_) {
    lead_back(static_cast<double>(last_print_->step), last_print_->at_s);
  }
  if (first_ && !first_->by_part && open_->steps) {
    lead_back(static_cast<double>(*open_->steps), at_s);
  }
  if (first_) {
    // One print only: the epoch began as the bar says, else with the program. Several of one time:
    // their steps take less than the times resolve.
    const double since_s = open_->step > first_->done && !first_->by_part ? 0 : first_->at_s;
    open_->start_s = std::max(0.0, first_->at_s - first_->elapsed_s.value_or(since_s));
    state_start(open_->start_s);
    first_.reset();
  }
  double wall_s = at_s - open_->start_s - open_->evaluate_s;
  if (open_->stated_s && wall_s > *open_->stated_s + 1) {  // something else ran before the bar
    open_->start_s += wall_s - *open_->stated_s;
    wall_s = *open_->stated_s;
  }
  if (open_->doubt_s > most_doubt * wall_s) {
    wall_s = 0;
  }
  announced_ = open_->announced;
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
  last_end_s_ = at_s;
  last_step_before_ = open_->step;
  if (repeats(open_->epoch)) {
    held_.reset();
  } else {
    ++position_.epochs_done;
    delivered_end_s_ = at_s;
    delivered_wall_s_ = wall_s > 0 ? wall_s : delivered_wall_s_;
    delivered_steps_ = held_->iterations;
  }
  open_.reset();
}

/// What was printed with a part of the epoch: at its step, if the steps are known by now; else the
/// last of each name counts.
void RowBuilder::add_metrics_of_parts() {
  std::map<std::string, double> last;
  for (const auto& [part, metric] : open_->of_parts) {
    if (open_->steps) {
      add_metric(open_->epoch, metric.name, metric.value,
                 std::llround(part * static_cast<double>(*open_->steps)));
    } else {
      set(last, metric);
    }
  }
  for (const auto& [name, value] : last) {
    add_metric(open_->epoch, name, value, 0);
  }
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
      open_ = Open{.epoch = epoch + 1, .start_s = end_s};
    }
  }
}

void RowBuilder::release() {
  if (held_) {
    rows_.epochs.push_back(*held_);
  }
  held_.reset();
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

/// The last epoch is whole if the output says so, or, where it states no ends, if its last print
/// stands where the epoch before had its own: then its missing steps take as long as those before.
void RowBuilder::end_last() {
  const double end_s = evaluated_since_train_ ? last_end_s_ : last_seen_s();
  if (open_->whole()) {
    end(end_s);
    return;
  }
  const bool as_before =
      position_.epochs_done > 0 && open_->step >= last_step_before_ && !ends_stated_;
  const auto missing = std::max<std::int64_t>(0, open_->steps.value_or(open_->step) - open_->step);
  const bool last_print = missing < last_stride_ || missing == 0;
  if (open_->step < 1 || !(as_before || (evaluated_since_train_ && last_print && open_->steps))) {
    return;
  }
  end(evaluated_since_train_ ? end_s : end_s + missing_s());
}

void RowBuilder::finish() {
  if (evaluating_since_s_) {
    close_evaluation({.begins_epoch = true}, now_s_);
  }
  if (open_) {
    end_last();
  }
  release();
  if (!timed_) {
    undo_running_sums();
  }
  const double first_s = rows_.epochs.empty() ? 0 : rows_.epochs.front().start_s;
  if (begins_anywhere_ && (first_s < 0 || !timed_)) {
    shifted_s_ = first_s;
    shift(-first_s);
  }
}

void RowBuilder::shift(double by_s) {
  for (auto& row : rows_.epochs) {
    row.start_s += by_s;
  }
  for (auto& row : rows_.iterations) {
    row.start_s += by_s;
  }
  for (auto& row : rows_.spans) {
    row.start_s += by_s;
  }
}

/// Some programs state the time since the start of the run with each epoch: 60, 120, 180 s.
void RowBuilder::undo_running_sums() {
  auto& epochs = rows_.epochs;
  if (epochs.size() < 3 || times_of_run_ || !rows_.iterations.empty()) {
    return;
  }
  const double first_s = epochs.front().wall_s;
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    const double added_s = epochs[i].wall_s - epochs[i - 1].wall_s;
    if (!(added_s > 0.5 * first_s && added_s < 2 * first_s)) {
      return;
    }
  }
  double before_s = 0;
  for (auto& epoch : epochs) {
    const double sum_s = epoch.wall_s;
    epoch.start_s = before_s;
    epoch.wall_s = sum_s - before_s;
    before_s = sum_s;
  }
}

Rows RowBuilder::take() {
  return std::exchange(rows_, {});
}

}  // namespace epochcast::progress
