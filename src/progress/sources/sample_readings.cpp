#include "src/progress/sources/sample_readings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace epochcast::progress::sources {

std::vector<TimedReading> SampleReadings::read(Sample sample, double at_s) {
  std::vector<TimedReading> readings;
  drop_known_values(sample);
  if (sample.values.empty()) {
    return readings;
  }
  Reading reading{
      .epoch = {}, .epochs = {}, .step = sample.step, .of_run = sample.step.has_value()};
  if (sample.ended_epoch) {
    reading.epoch = sample.ended_epoch;
    reading.ends_epoch = *sample.ended_epoch > last_ended_.value_or(-1);
  } else if (sample.running_epoch) {
    place_in_running_epoch(sample, readings);
    running_last_s_ = at_s;
    reading.epoch = running_;
  } else if (sample.epochs_done) {
    const double done = *sample.epochs_done;
    reading.epoch = static_cast<std::int64_t>(std::ceil(done)) - (done > 0 ? 1 : 0);
    reading.ends_epoch = ends_by_fraction(done, sample.step);
  } else {
    reading.epoch = sample.of_epoch;
  }
  if (reading.ends_epoch) {
    last_ended_ = reading.epoch;
  }
  reading.metrics = std::move(sample.values);
  readings.push_back({std::move(reading), at_s});
  return readings;
}

std::vector<TimedReading> SampleReadings::finish() {
  std::vector<TimedReading> readings;
  if (running_ && running_last_step_ && ended_step_ && epoch_steps_ &&
      *running_last_step_ - *ended_step_ == *epoch_steps_) {
    end_running_epoch(readings);
  }
  return readings;
}

void SampleReadings::drop_known_values(Sample& sample) {
  constexpr std::size_t most_names = 10000;
  auto place = sample.step ? sample.step : sample.ended_epoch;
  if (!place) {
    return;
  }
  std::erase_if(sample.values, [&](const NamedValue& value) {
    const auto found = known_.find(value.name);
    if (found == known_.end()) {
      if (known_.size() < most_names) {
        known_.emplace(value.name, *place);
      }
      return false;
    }
    if (*place <= found->second) {
      return true;
    }
    found->second = *place;
    return false;
  });
}

void SampleReadings::place_in_running_epoch(const Sample& sample,
                                            std::vector<TimedReading>& readings) {
  if (running_ && *sample.running_epoch > *running_) {
    end_running_epoch(readings);
  }
  if (!running_ || *sample.running_epoch > *running_) {
    running_ = sample.running_epoch;
  }
  if (sample.step) {
    running_last_step_ = sample.step;
  }
}

void SampleReadings::end_running_epoch(std::vector<TimedReading>& readings) {
  if (running_last_step_) {
    epoch_steps_ = *running_last_step_ - ended_step_.value_or(-1);
    ended_step_ = running_last_step_;
  }
  Reading end{.epoch = running_,
              .epochs = {},
              .step = running_last_step_,
              .of_run = running_last_step_.has_value()};
  end.ends_epoch = true;
  last_ended_ = running_;
  readings.push_back({std::move(end), running_last_s_});
}

bool SampleReadings::ends_by_fraction(double done, const std::optional<std::int64_t>& step) {
  const double before = std::exchange(done_, std::max(done_, done));
  const bool whole = done == std::floor(done) && done > 0;
  const double ends = std::floor(done) - std::floor(before);  // of epochs, since the last sample
  if (done <= before) {
    return false;
  }
  if (ends > 1 || (ends == 1 && !whole)) {
    if (!passed_an_end_) {
      remarks_.add("epochs end between two values, so that no time of an epoch is known",
                   fmt::format("after step {}", step.value_or(0)));
    }
    passed_an_end_ = true;
  }
  return whole && !passed_an_end_;
}

}  // namespace epochcast::progress::sources
