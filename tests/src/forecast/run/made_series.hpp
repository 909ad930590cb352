// Times of steps as trainings make them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "src/forecast/run/forecast.hpp"

namespace epochcast::forecast {

/// `count` steps about `mean_s`, independent, of a relative deviation; none of them negative.
inline std::vector<double> noisy(std::size_t count, double mean_s, double deviation,
                                 unsigned seed = 1) {
  std::mt19937 random(seed);
  std::gamma_distribution<double> step(1 / (deviation * deviation), mean_s * deviation * deviation);
  std::vector<double> steps(count);
  for (auto& one : steps) {
    one = step(random);
  }
  return steps;
}

inline double total_of(const std::vector<double>& steps) {
  return std::accumulate(steps.begin(), steps.end(), 0.0);
}

inline std::vector<double> first_of(const std::vector<double>& steps, std::size_t count) {
  return {steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The question: all of `steps`, asked after the first `seen` of them.
inline std::variant<Forecast, Refusal> asked(const std::vector<double>& steps, std::size_t seen) {
  return forecast(
      {.step_s = first_of(steps, seen), .steps_per_epoch = std::ssize(steps), .epochs = 1});
}

/// The same of whole epochs.
inline std::variant<Forecast, Refusal> asked_epochs(const std::vector<double>& epochs,
                                                    std::size_t seen) {
  return forecast(
      {.step_s = first_of(epochs, seen), .steps_per_epoch = 1, .epochs = std::ssize(epochs)});
}

inline bool holds(const Interval& interval, double total_s) {
  return interval.low <= total_s && total_s <= interval.high;
}

inline double width_of(const Interval& interval) {
  return interval.high - interval.low;
}

/// A relative error in percent.
inline double error_percent(const Forecast& forecast, double total_s) {
  return 100 * (forecast.total_s.value / total_s - 1);
}

}  // namespace epochcast::forecast
