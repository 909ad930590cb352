#include "src/measure/progress/sources/sample_readings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace epochcast::progress::sources {

void KnownValues::drop_from(Sample& sample) {
  constexpr std::size_t most_names = 10000;
  auto place = sample.step ? sample.step : sample.ended_epoch;
  if (!place) {
    return;
  }
  std::erase_if(sample.values, [&](const NamedValue& value) {
    const auto found = last_.find(value.name);
    if (found == last_.end()) {
      if (last_.size() < most_names) {
        last_.emplace(value.name, *place);
      }
      return false;
    }
    if (*place <= found->second) {
      dropped_.add(
          "values are of a step that had one before, or of an earlier one (a restart?); they are "
          "left out",
          fmt::format("{} of step {}", value.name, *place));
      return true;
    }
    found->second = *place;
    return false;
  });
}

std::optional<TimedReading> RunningEpoch::move_to(const Sample& sample, double at_s) {
  const bool later = epoch_ && *sample.running_epoch > *epoch_;
  const auto ended = later ? std::optional(end()) : std::nullopt;
  epoch_ = later || !epoch_ ? sample.running_epoch : epoch_;
  last_step_ = sample.step ? sample.step : last_step_;
  last_s_ = at_s;
  return ended;
}

std::optional<TimedReading> RunningEpoch::end_if_whole() {
  const bool whole = epoch_ && last_step_ && ended_step_ && epoch_steps_ &&
                     *last_step_ - *ended_step_ == *epoch_steps_;
  return whole ? std::optional(end()) : std::nullopt;
}

std::optional<std::int64_t> RunningEpoch::steps_done(std::int64_t step) const {
  const auto before = ended_step_.value_or(-1);  // steps are counted from 0
  return step > before ? std::optional(step - before) : std::nullopt;
}

TimedReading RunningEpoch::end() {
  Reading end{.epoch = epoch_, .ends_epoch = true};
  if (last_step_) {
    end.step = epoch_steps_ = *last_step_ - ended_step_.value_or(-1);
    ended_step_ = last_step_;
  }
  return {std::move(end), last_s_};
}

std::vector<TimedReading> SampleReadings::read(Sample sample, double at_s) {
  std::vector<TimedReading> readings;
  if (sample.values.empty() && !begun_s_) {
    begun_s_ = at_s;
  }
  known_.drop_from(sample);
  if (sample.values.empty()) {
    return readings;
  }
  const auto first = sample.ended_epoch ? sample.ended_epoch : sample.running_epoch;
  if (!begun_ && (first || sample.epochs_done)) {
    begun_ = true;
    done_at_s_ = begun_s_.value_or(0);
    const auto epoch = first.value_or(0);
    readings.push_back({{.epoch = epoch, .begins_epoch = true}, done_at_s_});
  }
  Reading reading;
  if (sample.ended_epoch) {
    reading.epoch = sample.ended_epoch;
    reading.ends_epoch = *sample.ended_epoch > last_ended_.value_or(-1);
  } else if (sample.running_epoch) {
    if (const auto end = running_.move_to(sample, at_s)) {
      last_ended_ = end->reading.epoch;
      readings.push_back(*end);
    }
    reading.epoch = running_.epoch();
    reading.step = sample.step ? running_.steps_done(*sample.step) : std::nullopt;
  } else if (sample.epochs_done) {
    place_by_fraction(sample, at_s, reading, readings);
  } else {
    reading.epoch = sample.of_epoch;
    reading.step = sample.step;
    reading.of_run = sample.step.has_value();
  }
  if (reading.ends_epoch) {
    last_ended_ = reading.epoch;
  }
  reading.metrics = std::move(sample.values);
  readings.push_back({std::move(reading), at_s});
  return readings;
}

std::vector<TimedReading> SampleReadings::finish() {
  const auto end = running_.end_if_whole();
  return end ? std::vector{*end} : std::vector<TimedReading>{};
}

void SampleReadings::place_by_fraction(const Sample& sample, double at_s, Reading& reading,
                                       std::vector<TimedReading>& readings) {
  const double done = without_rounding(*sample.epochs_done);
  const double before = std::exchange(done_, std::max(done_, done));
  const double before_s = std::exchange(done_at_s_, at_s);
  const double ends = std::floor(done) - std::floor(before);
  const bool whole = done == std::floor(done);
  reading.epoch = static_cast<std::int64_t>(std::ceil(done)) - (done > 0 ? 1 : 0);
  const double steps =
      done > 0 ? std::round(static_cast<double>(sample.step.value_or(0)) / done) : 0;
  if (steps > 0) {
    reading.step = *sample.step - std::llround(steps) * *reading.epoch;
  }
  if (ends > 1) {
    remarks_.add("epochs end between two values: not all epochs are known",
                 fmt::format("after {} epochs", before));
  }
  reading.ends_epoch = ends >= 1 && whole;
  if (ends == 1 && !whole && before_s < at_s) {
    // Both values are of steps, which take about the same time.
    const double end_s =
        before_s + (at_s - before_s) * (std::floor(done) - before) / (done - before);
    readings.push_back({{.epoch = *reading.epoch - 1, .ends_epoch = true}, end_s});
  }
}

}  // namespace epochcast::progress::sources
