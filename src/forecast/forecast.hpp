// How long a training takes, from the first of its steps. Numbers in, numbers out: the trainer's
// ETA, `jobs plan`, `jobs status` and the analyzer ask here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/steady.hpp"

namespace epochcast::forecast {

/// What was measured of a run, and what is asked about it. Steps are iterations, or whole epochs
/// (iterations_per_epoch 1).
struct Series {
  std::vector<double> iteration_s;  ///< Every step with its wait for data, in order.
  /// Samples, tokens or FLOPs of each step, above 0; empty: all alike. Times of steps mean nothing
  /// where a schedule changes these.
  std::vector<double> iteration_work = {};
  double before_s = 0;        ///< Before the first step.
  double behind_epoch_s = 0;  ///< Pictures, evaluation and checkpoint after an epoch, mean.
  std::int64_t iterations_per_epoch = 0;
  double work_per_epoch = 0;  ///< In the unit of iteration_work; not used where that is empty.
  std::int64_t epochs = 0;    ///< How many the whole run has.
  /// Of which an earlier attempt did so many; the forecast is for the rest.
  double epochs_before = 0;
};

/// Below this the warm-up of iterations cannot be told.
inline constexpr std::size_t fewest_iterations = 10;

struct Interval {
  double low_s = 0;
  double high_s = 0;
};

struct Part {
  std::string name;  ///< before, first step, other steps, after epochs.
  double seconds = 0;
};

struct Forecast {
  double total_s = 0;  ///< The sum of the parts.
  double spent_s = 0;  ///< Of which was measured; no interval begins below.
  Interval interval_80;
  Interval interval_95;
  std::vector<Part> parts;
  std::string classification;        ///< flat, warm-up, drifting or periodic.
  std::vector<std::string> reasons;  ///< What it assumes, a line each.
  double steady_iteration_s = 0;     ///< A step of mean work, from here on.
};

/// The time of the whole run: before + what was measured + the work left at the steady rate
/// (steady.hpp) + what comes after each epoch.
///
/// Intervals are prediction intervals: the scatter of the work left and the uncertainty of the rate
/// (Student's t), in quadrature with what a part of the steps cannot tell (steady.hpp) and with
/// what runs on one system differ by (usual.hpp).
///
/// Refused for numbers that make no sense, for less than 10 iterations (the warm-up cannot be
/// separated; one epoch is enough), and without a steady state.
std::variant<Forecast, Refusal> forecast(const Series& series);

}  // namespace epochcast::forecast
