#include "src/runner/progress_files.hpp"

#include <algorithm>

#include "src/measure/progress/sources/events.hpp"
#include "src/measure/progress/sources/metric_source.hpp"

namespace epochcast::runner {
namespace {

using progress::sources::TimedReading;

std::vector<TimedReading> source_readings(progress::sources::Source* source, double now_s,
                                          bool ended) {
  if (source == nullptr) {
    return {};
  }
  return ended ? source->finish(now_s) : source->read(now_s);
}

/// Only its metrics and the epoch they are of.
void keep_metrics(progress::Reading& reading) {
  reading = {.epoch = reading.epoch, .metrics = std::move(reading.metrics)};
}

}  // namespace

ProgressFiles::ProgressFiles(const std::string& events, const std::string& metrics,
                             const progress::sources::ClockZero& zero)
    : events_(events.empty() ? nullptr : progress::sources::follow_events(events, zero)),
      metrics_(metrics.empty() ? nullptr : progress::sources::follow_metrics(metrics, zero)) {}

std::vector<TimedReading> ProgressFiles::all(double now_s, bool ended) {
  auto readings = source_readings(events_.get(), now_s, ended);
  has_events_ = has_events_ || !readings.empty();
  for (auto& [reading, at_s] : source_readings(metrics_.get(), now_s, ended)) {
    if (has_events_) {
      keep_metrics(reading);
    }
    if (!has_events_ || (reading.epoch && !reading.metrics.empty())) {
      readings.push_back({std::move(reading), at_s});
    }
  }
  std::stable_sort(readings.begin(), readings.end(),
                   [](const auto& a, const auto& b) { return a.at_s < b.at_s; });
  for (auto& reading : readings) {
    last_s_ = std::max(last_s_, reading.at_s);
    reading.at_s = last_s_;
  }
  return readings;
}

std::vector<std::string> ProgressFiles::remarks() const {
  std::vector<std::string> all;
  for (const auto* source : {events_.get(), metrics_.get()}) {
    for (auto& line : source != nullptr ? source->remarks() : std::vector<std::string>{}) {
      all.push_back(std::move(line));
    }
  }
  return all;
}

}  // namespace epochcast::runner
