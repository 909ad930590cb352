#include "src/measure/progress/reading/plain_series.hpp"

#include <algorithm>
#include <tuple>

namespace epochcast::progress {
namespace {

constexpr std::size_t most_plain_series = 256;

bool is_counter(const PlainSeries& series, bool at_end) {
  const bool falls = series.retreats > series.restated && series.retreats * 2 > series.advances;
  if (series.means() == LineRole::mention || falls) {
    return false;
  }
  // The steps of a single epoch, "Epoch 1/1 step 40/40".
  constexpr std::int64_t some = 3;
  if (at_end && series.has_total && series.advances == 0 && series.retreats == 0 &&
      series.steps_on >= some && series.reaches_total) {
    return true;
  }
  // Two lines with a total, three of others; at the end, two that go on from 0 or 1.
  const bool begins = series.first == 0 || series.first == 1;
  return series.advances >= 2 || (series.advances >= 1 && (series.has_total || (at_end && begins)));
}

}  // namespace

void StepTimes::add(bool same, std::int64_t step, double duration_s) {
  const Print print{.step = step, .time_s = duration_s};
  if (!same) {
    ++epochs_;
    begins_again_ = begins_again_ || duration_s < last_.time_s;
    first_ = last_ = print;
    return;
  }
  ++pairs_;
  widest_ = std::max(widest_, step - last_.step);
  const double done =
      static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(1, first_.step));
  rises_ = rises_ && duration_s > last_.time_s;
  as_steps_ = as_steps_ && duration_s > first_.time_s * (1 + done) / 2;
  first_as_steps_ = epochs_ > 1 ? first_as_steps_ : as_steps_;
  last_ = print;
}

StepTimes::Of StepTimes::of() const {
  if (pairs_ > 0 && rises_ && first_as_steps_) {
    const bool of_run = epochs_ > 1 && !begins_again_;
    return of_run ? Of::since_begin_of_run : as_steps_ ? Of::since_begin_of_epoch : Of::unknown;
  }
  // Of one step; or, where steps between were not printed, of all of them.
  return pairs_ > 0 && !rises_ && widest_ == 1 ? Of::step : Of::unknown;
}

PlainSeries* PlainSeriesSet::find_or_add(const PlainLine& line) {
  const auto known = by_shape_.find(line.shape);
  if (known != by_shape_.end() || by_shape_.size() >= most_plain_series) {
    return known == by_shape_.end() ? nullptr : known->second;
  }
  const auto goes_on = std::ranges::find_if(series_, [&](const PlainSeries& series) {
    return series.role == line.role && series.evaluates == line.evaluates &&
           series.tail == line.tail && series.last + series.stride == line.epoch;
  });
  auto& series = goes_on == series_.end() ? series_.emplace_back() : *goes_on;
  by_shape_.emplace(line.shape, &series);
  return &series;
}

void PlainSeriesSet::add(const PlainLine& line, bool labelled, double at_s, bool announced) {
  auto* const found = line.epoch < 0 ? nullptr : find_or_add(line);
  if (found == nullptr) {
    return;
  }
  auto& series = *found;
  const bool is_new = series.order == 0;
  if (is_new) {
    series.order = series_.size();
    series.shape = line.shape;
    series.tail = line.tail;
    series.role = line.role;
    series.role_of_counter = line.role_of_counter;
    series.steps_are_epochs = line.step_in_lead;
    series.evaluates = line.evaluates;
    series.has_total = line.epochs.has_value();
    series.labelled = labelled;
    series.first = line.epoch;
  } else {
    series.evaluates = series.evaluates && line.evaluates;
  }
  series.steps_are_epochs =
      series.steps_are_epochs && (line.step == line.epoch || line.step == line.epoch + 1);
  series.states_times =
      series.states_times || line.duration_s || line.step_duration_s || line.elapsed_s;
  if (line.step) {
    series.least_step =
        series.least_step < 0 ? *line.step : std::min(series.least_step, *line.step);
    series.reaches_total = series.reaches_total || (line.steps && *line.step >= *line.steps);
    series.steps_on += line.steps && *line.step > series.last_step && !is_new ? 1 : 0;
    const bool of_time = *line.step == series.last_step && line.duration_s;
    series.steps_grow =
        series.steps_grow && !line.steps && (*line.step > series.last_step || of_time);
    series.last_step = *line.step;
    if (line.duration_s) {
      series.step_times.add(!is_new && line.epoch == series.last, *line.step, *line.duration_s);
    }
  }
  auto values = line.metrics;
  if (values.empty() && line.duration_s) {
    values.push_back({"", *line.duration_s});
  }
  if (!is_new && line.epoch == series.last) {
    ++series.repeats;
    series.spread_s = std::max(series.spread_s, at_s - series.first_of_last_at_s);
    series.repeats_values = !values.empty() && values == series.values &&
                            (series.repeats == 1 || series.repeats_values);
  } else {
    if (!is_new) {
      (line.epoch > series.last ? series.advances : series.retreats) += 1;
      series.stride = std::max<std::int64_t>(1, line.epoch - series.last);
      series.restated += line.epoch < series.last && announced ? 1 : 0;
      series.interval_s = std::max(series.interval_s, at_s - series.first_of_last_at_s);
    }
    series.last = line.epoch;
    series.first_of_last_at_s = at_s;
    series.values = values;
  }
}

const PlainSeries* PlainSeriesSet::of(const PlainLine& line) const {
  const auto found = by_shape_.find(line.shape);
  return found == by_shape_.end() ? nullptr : found->second;
}

bool PlainSeriesSet::another_ends(const PlainSeries& counter) const {
  return std::ranges::any_of(series_, [&](const auto& series) {
    return &series != &counter && series.means() == LineRole::summary && !series.evaluates &&
           series.advances > 0 && series.repeats == 0;
  });
}

const PlainSeries* PlainSeriesSet::counter(bool at_end) const {
  const PlainSeries* found = nullptr;
  const auto rank = [](const PlainSeries& series) {
    // What is about the training, says the total, and begins with the epoch; then what comes first.
    return std::tuple(series.evaluates ? 0 : 1, series.has_total ? 1 : 0, series.labelled ? 0 : 1,
                      -std::int64_t(series.order));
  };
  for (const auto& series : series_) {
    if (is_counter(series, at_end) && (found == nullptr || rank(series) > rank(*found))) {
      found = &series;
    }
  }
  return found;
}

}  // namespace epochcast::progress
