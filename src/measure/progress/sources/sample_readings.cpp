#include "src/measure/progress/sources/sample_readings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace epochcast::progress::sources {

std::vector<TimedReading> SampleReadings::read(Sample sample, double at_s) {
  std::vector<TimedReading> readings;
  if (sample.values.empty() && !begun_s_) {
    begun_s_ = at_s;
  }
  drop_known_values(sample);
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
    place_in_running_epoch(sample, readings);
    running_.last_s = at_s;
    reading.epoch = running_.epoch;
    const auto before = ended_step_.value_or(-1);  // steps are counted from 0
    if (sample.step && *sample.step > before) {
      reading.step = *sample.step - before;
    }
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
  std::vector<TimedReading> readings;
  if (running_.epoch && running_.last_step && ended_step_ && epoch_steps_ &&
      *running_.last_step - *ended_step_ == *epoch_steps_) {
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
      repeated_.add(
          "values are of a step that had one before, or of an earlier one (a restart?); they are "
          "left out",
          fmt::format("{} of step {}", value.name, *place));
      return true;
    }
    found->second = *place;
    return false;
  });
}

void SampleReadings::place_in_running_epoch(const Sample& sample,
                                            std::vector<TimedReading>& readings) {
  if (running_.epoch && *sample.running_epoch > *running_.epoch) {
    end_running_epoch(readings);
  }
  if (!running_.epoch || *sample.running_epoch > *running_.epoch) {
    running_.epoch = sample.running_epoch;
  }
  if (sample.step) {
    running_.last_step = sample.step;
  }
}

void SampleReadings::end_running_epoch(std::vector<TimedReading>& readings) {
  Reading end{.epoch = running_.epoch, .ends_epoch = true};
  if (running_.last_step) {
    epoch_steps_ = *running_.last_step - ended_step_.value_or(-1);
    end.step = epoch_steps_;
    ended_step_ = running_.last_step;
  }
  last_ended_ = running_.epoch;
  readings.push_back({std::move(end), running_.last_s});
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
