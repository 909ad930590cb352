// Forecasts how long a training takes from its first steps. Takes and returns numbers only; used by
// the ETA of the trainer, `jobs plan`, `jobs status` and the analyzer.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/steady.hpp"

namespace epochcast::forecast {

/// The measurements of a run and the length of the whole run. Steps are iterations, or whole epochs
/// (steps_per_epoch 1).
struct Series {
  std::vector<double> step_s;  ///< Time of every step, with its wait for data, in order.
  /// Samples, tokens or FLOPs of each step, above 0; empty: all steps are alike. If a schedule
  /// changes these, step times alone are meaningless.
  std::vector<double> step_work = {};
  double before_s = 0;       ///< Before the first step.
  double after_epoch_s = 0;  ///< Images, evaluation and checkpoint after an epoch, mean.
  std::int64_t steps_per_epoch = 0;
  double work_per_epoch = 0;  ///< In the unit of step_work; not used if it is empty.
  std::int64_t epochs = 0;    ///< Number of epochs of the whole run.
  /// The number of these epochs that an earlier attempt did; the forecast covers the rest.
  double epochs_before = 0;
};

/// With fewer measured iterations there is no forecast, unless an epoch has ended.
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
  double spent_s = 0;  ///< The measured steps and what came before; no interval begins below it.
  Interval interval_80;
  Interval interval_95;
  std::vector<Part> parts;
  std::string classification;        ///< flat, warm-up, drifting or periodic.
  std::vector<std::string> reasons;  ///< The assumptions of the forecast, one line each.
  double steady_step_s = 0;          ///< Time of a future step with the mean work.
};

/// Forecasts the time of the whole run: the time before the first step, the measured steps, the
/// remaining work at the steady rate (steady.hpp), and the time after each epoch.
///
/// Intervals are prediction intervals. They combine in quadrature: the scatter of the remaining
/// work and the uncertainty of the rate (Student's t), the error that a part of the steps cannot
/// show (steady.hpp), the differences between runs on one system (prior_constants.hpp), and a drift
/// that may stop at once or go twice as far. The time after epochs adds none.
///
/// Returns a Refusal for inconsistent numbers, for fewer than 10 iterations (the warm-up cannot be
/// separated; one epoch is enough), and if there is no steady state.
std::variant<Forecast, Refusal> forecast(const Series& series);

}  // namespace epochcast::forecast
