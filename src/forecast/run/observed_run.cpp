#include "src/forecast/run/observed_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/unit_rate.hpp"

namespace epochcast::forecast {
namespace {

constexpr std::size_t most_values = 4096;

double time_of(const record::Iteration& row) {
  return row.wait_s + row.step_s;
}

/// When the first of the `count` steps began that the row stands for.
double start_of(const record::Iteration& row, std::int64_t count) {
  return std::max(0.0, row.start_s - static_cast<double>(count - 1) * time_of(row));
}

/// Sums of pairs; the last one alone if their number is odd.
void sum_pairs(std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    values[i / 2] = values[i] + (i + 1 < values.size() ? values[i + 1] : 0);
  }
  values.resize((values.size() + 1) / 2);
}

void take(const std::vector<Step>& steps, RunSeries& series) {
  for (const auto& step : steps) {
    series.step_s.push_back(step.seconds);
    series.step_work.push_back(step.work);
  }
}

/// The time that the first of these steps took longer than the later ones at their work; too little
/// to tell from noise is 0.
double warm_up_of(const std::vector<Step>& steps) {
  const auto all = sum_of(steps);
  const double longer_s = all.seconds - unit_rate(in_blocks(steps), 0).rate * all.work;
  return longer_s > usual_noise * all.seconds ? longer_s : 0;
}

/// Sets the length of a series of blocks that goes on with blocks like the last one.
void take_length(double work, RunSeries& series) {
  double left = work;
  for (const double done : series.step_work) {
    left -= done;
  }
  series.epochs =
      std::ssize(series.step_work) +
      static_cast<std::int64_t>(std::ceil(std::max(0.0, left) / series.step_work.back()));
  series.work_per_epoch = work / static_cast<double>(series.epochs);
}

std::int64_t steps_of_first_row(const record::Iteration& first, std::int64_t of_second) {
  return std::clamp<std::int64_t>(first.index + 1, 1, of_second);
}

}  // namespace

std::int64_t steps_of_row(const record::Iteration& row, const record::Iteration& before) {
  const auto since = row.epoch == before.epoch ? row.index - before.index : row.index + 1;
  return std::max<std::int64_t>(1, since);
}

std::vector<std::int64_t> steps_of_rows(const Iterations& iterations) {
  std::vector<std::int64_t> steps(iterations.size(), 1);
  for (std::size_t i = 1; i < iterations.size(); ++i) {
    steps[i] = steps_of_row(*iterations[i], *iterations[i - 1]);
  }
  if (steps.size() > 1) {
    steps[0] = steps_of_first_row(*iterations[0], steps[1]);
  }
  return steps;
}

void add_bounded(std::vector<Step>& steps, const Step& step) {
  steps.push_back(step);
  if (steps.size() >= most_values) {
    steps = merged(steps, 2);
  }
}

ObservedRun::ObservedRun(const record::Work& work, std::size_t ranks)
    : steps_per_epoch_(work.iterations_per_epoch),
      samples_per_epoch_(work.samples_per_epoch),
      samples_of_rank_(static_cast<double>(work.samples_per_epoch) /
                       static_cast<double>(std::max<std::size_t>(1, ranks))) {}

void ObservedRun::add(const record::Epoch& epoch) {
  if (epochs_ == 1 && begin_unknown_) {  // the first one may hold the start of the program
    by_count_.clear();
    by_samples_.clear();
    warm_up_s_.reset();
  }
  if (epochs_++ == 0 || by_count_.empty()) {
    first_epoch_ = epoch.epoch;
    first_start_s_ = epoch.start_s;
    const bool is_rest = first_row_ && first_row_->epoch == epoch.epoch &&
                         epoch.samples < samples_per_epoch_ && steps_per_epoch_ > 0;
    part_before_ = is_rest ? steps_before() / static_cast<double>(steps_per_epoch_) : 0;
    if (begun_epoch_ == epoch.epoch && begun_.steps.size() >= fewest_iterations) {
      warm_up_s_ = warm_up_of(begun_.steps);
    }
  }
  done_ = std::max(done_, epoch.epoch + 1);
  last_end_s_ = std::max(last_end_s_, epoch.start_s + epoch.wall_s);
  gaps_.add(epoch, kernel_choices_.seconds(epoch.epoch));
  add_bounded(by_count_, {epoch.wall_s, 1});
  has_samples_ = has_samples_ && epoch.samples > 0;
  add_bounded(by_samples_, {epoch.wall_s, static_cast<double>(epoch.samples)});
  begun_ = {};
  begun_epoch_ = -1;
}

void ObservedRun::add(const record::Iteration& row) {
  if (row.rank != 0) {
    return;
  }
  if (rows_++ == 0) {
    first_row_ = row;
    last_row_ = row;
    first_count_ = 1;
    last_count_ = row.index + 1;
    return;
  }
  const auto before = std::exchange(last_row_, row);
  last_count_ = steps_of_row(row, before);
  if (rows_ == 2) {
    first_count_ = steps_of_first_row(*first_row_, last_count_);
    add_steps(*first_row_, first_count_);
  }
  add_steps(row, last_count_);
}

void ObservedRun::add_steps(const record::Iteration& row, std::int64_t count) {
  all_.add(row, count);
  if (row.epoch != begun_epoch_) {
    begun_ = {};
    begun_epoch_ = row.epoch;
    const auto before = static_cast<double>(row.index + 1 - count);
    if (epochs_ > 0 && row.epoch >= done_) {
      gaps_.seen_until(start_of(row, count) - before * time_of(row));
    }
  }
  begun_.add(row, count);
}

void ObservedRun::Steps::add(const record::Iteration& row, std::int64_t of) {
  const double from_s = start_of(row, of);
  if (steps.empty()) {
    start_s = from_s;
  } else {
    gaps_s.push_back(std::max(0.0, from_s - end_s));
  }
  end_s = row.start_s + time_of(row);
  count += static_cast<double>(of);
  steps.push_back({static_cast<double>(of) * time_of(row), static_cast<double>(of)});
  samples.push_back(of == 1 ? static_cast<double>(row.samples) : 0);
  if (steps.size() >= most_values) {
    steps = merged(steps, 2);
    const bool all_known = std::ranges::all_of(samples, [](double value) { return value > 0; });
    sum_pairs(samples);
    samples.front() = all_known ? samples.front() : 0;
    sum_pairs(gaps_s);  // what lies within a pair counts after it
    gaps_s[gaps_s.size() - 2] += gaps_s.back();
    gaps_s.pop_back();
  }
}

void ObservedRun::add(const record::Span& span) {
  const auto name = span.name.view();
  kernel_choices_.add(span);
  if (name == record::begin_unknown_span) {
    begin_unknown_ = true;
  } else if (name == after_last_span) {
    after_last_until_s_ = span.start_s + span.duration_s;
  } else if (epochs_ == 0 && (name == "evaluate" || name == "sample" || name == "checkpoint" ||
                              name == "evaluate_within")) {
    cut_spans_.push_back(span);
  }
}

void ObservedRun::add(const std::vector<record::Span>& spans,
                      const std::vector<record::Iteration>& iterations,
                      const std::vector<record::Epoch>& epochs) {
  for (const auto& span : spans) {
    add(span);
  }
  auto row = iterations.begin();
  for (const auto& epoch : epochs) {
    for (; row != iterations.end() && row->epoch <= epoch.epoch; ++row) {
      add(*row);
    }
    add(epoch);
  }
  for (; row != iterations.end(); ++row) {
    add(*row);
  }
}

/// Whether the run is taken as one epoch with all its steps.
bool ObservedRun::in_one_epoch(const RunLength& length) const {
  return length.steps > 0 && rows_ > 0 && (steps_per_epoch_ == 0 || epochs_ == 0);
}

/// Steps of its epoch that were done before the first row.
double ObservedRun::steps_before() const {
  return first_row_ ? static_cast<double>(first_row_->index + 1 - first_count_) : 0;
}

std::int64_t ObservedRun::steps_done(const RunLength& length) const {
  if (in_one_epoch(length)) {
    return static_cast<std::int64_t>(steps_before() + std::max(1.0, all_.count));
  }
  const auto of_rows =
      first_row_ ? last_row_.epoch * steps_per_epoch_ + last_row_.index + 1 : std::int64_t{0};
  return std::max(done_ * steps_per_epoch_, of_rows);
}

/// The time after an epoch, measured in a run that ended within its first epoch: a pilot still does
/// everything that follows an epoch. Evaluations within the epoch, and those that steps followed,
/// are scaled up, since they recur in the remaining steps of the epoch.
double ObservedRun::after_cut_epoch_s() const {
  double after_s = 0;
  double within_s = 0;
  for (const auto& span : cut_spans_) {
    const bool recurs =
        span.name.view() == "evaluate_within" || (first_row_ && span.start_s < last_row_.start_s);
    (recurs ? within_s : after_s) += span.duration_s;
  }
  const double part = all_.count > 0 && steps_per_epoch_ > 0
                          ? all_.count / static_cast<double>(steps_per_epoch_)
                          : 1;
  return after_s + within_s / std::min(part, 1.0);
}

RunSeries ObservedRun::of_epochs() const {
  RunSeries series{.before_s = first_start_s_,
                   .steps_per_epoch = 1,
                   .work_per_epoch = 1,
                   .epochs_before = static_cast<double>(first_epoch_)};
  auto gaps = gaps_;
  gaps.seen_until(std::max(gaps.seen_until_s(), after_last_until_s_));
  series.gaps_s = gaps.seconds();
  series.after_epoch_s = mean(series.gaps_s).value_or(0);
  const bool by_samples = has_samples_ && samples_per_epoch_ > 0;
  take(by_samples ? by_samples_ : by_count_, series);
  series.work_per_epoch = by_samples ? static_cast<double>(samples_per_epoch_) : 1;
  series.epochs_before += by_samples ? part_before_ : 0;
  series.begin_unknown = begin_unknown_ && epochs_ == 1;
  if (by_count_.size() == static_cast<std::size_t>(epochs_)) {
    series.warm_up_s = warm_up_s_;
  }
  if (begun_.count > 0 && begun_epoch_ >= done_ && steps_per_epoch_ > 0) {
    constexpr double most = 0.999;  // it has not ended
    series.begun_work = std::min(most, begun_.count / static_cast<double>(steps_per_epoch_)) *
                        series.work_per_epoch;
    series.begun_s = std::max(begun_.end_s - begun_.start_s, sum_of(begun_.steps).seconds);
    if (begun_.end_s > last_end_s_) {  // a row of several steps states their mean time only
      series.begun_s = std::min(series.begun_s, begun_.end_s - last_end_s_);
    }
  }
  return series;
}

RunSeries ObservedRun::of_steps() const {
  RunSeries series{.before_s = all_.start_s,
                   .after_epoch_s = after_cut_epoch_s(),
                   .steps_per_epoch = steps_per_epoch_,
                   .work_per_epoch = static_cast<double>(steps_per_epoch_),
                   .epochs_before = static_cast<double>(first_row_ ? first_row_->epoch : 0),
                   .of_steps = true};
  if (series.after_epoch_s > 0) {
    series.gaps_s = {series.after_epoch_s};
  }
  take(all_.steps, series);
  if (steps_per_epoch_ > 0) {
    series.epochs_before += steps_before() / static_cast<double>(steps_per_epoch_);
  }
  if (samples_of_rank_ > 0 &&
      std::ranges::all_of(all_.samples, [](double samples) { return samples > 0; })) {
    series.step_work = all_.samples;
    series.work_per_epoch = samples_of_rank_;
  }
  return series;
}

RunSeries ObservedRun::of_blocks_of_steps(std::int64_t steps) const {
  RunSeries series{.before_s = all_.start_s,
                   .gaps_s = all_.gaps_s,
                   .steps_per_epoch = 1,
                   .of_blocks = true,
                   .of_steps = true};
  take(all_.steps, series);
  if (!series.step_work.empty()) {
    take_length(static_cast<double>(steps) - steps_before(), series);
  }
  return series;
}

RunSeries ObservedRun::series(const RunLength& length) const {
  auto schedules = length.schedules;
  RunSeries series;
  if (length.samples > 0) {  // blocks may differ in their samples, and each is followed by a pause
    series = of_epochs();
    series.step_s.clear();
    series.step_work.clear();
    take(by_samples_, series);
    series.of_blocks = true;
    take_length(static_cast<double>(length.samples), series);
  } else if (in_one_epoch(length)) {
    series = of_blocks_of_steps(length.steps);
  } else {
    series = epochs_ > 0 ? of_epochs() : of_steps();
    series.epochs = length.epochs;
    series.unfinished = length.unfinished;
    const auto in_epoch = static_cast<double>(steps_per_epoch_);
    if (length.steps > 0 && steps_per_epoch_ > 0) {
      const auto whole = epochs_of_steps(length.steps, steps_per_epoch_);
      series.epochs = whole.epochs;
      series.unfinished = whole.unfinished;
    }
    for (auto& schedule : schedules) {
      schedule.first /= length.steps > 0 ? in_epoch : 1;
      schedule.every /= length.steps > 0 ? in_epoch : 1;
      // In MLPerf v4.0 an evaluation after epochs takes 0.015 (resnet) and 0.06 (ssd) of one in the
      // middle, in v5.0 0.10 (retinanet).
      schedule.unseen = std::min(schedule.unseen, unseen_gap / schedule.every);
    }
  }
  series.schedules = std::move(schedules);
  series.stops_at_target = length.stops_at_target;
  return series;
}

Observation ObservedRun::last_seen(const RunLength& length) const {
  const double row_end_s = first_row_ ? last_row_.start_s + time_of(last_row_) : 0;
  const double at_s = std::max(last_end_s_, row_end_s);
  const auto in_epoch = in_one_epoch(length) ? length.steps : steps_per_epoch_;
  if (in_epoch == 0) {
    return {.done = static_cast<double>(done_), .epochs = length.epochs_done(), .at_s = at_s};
  }
  const auto per_epoch = static_cast<double>(in_epoch);
  return {.done = static_cast<double>(steps_done(length)) / per_epoch,
          .epochs = length.steps > 0 ? static_cast<double>(length.steps) / per_epoch
                                     : length.epochs_done(),
          .at_s = at_s,
          .spacing = first_row_ ? static_cast<double>(last_count_) / per_epoch : 1};
}

ObservedRun observed(const record::Record& record) {
  ObservedRun run(record.work.empty() ? record::Work{} : record.work.front(),
                  record.machines.size());
  run.add(record.spans, record.iterations, record.epochs);
  return run;
}

}  // namespace epochcast::forecast
