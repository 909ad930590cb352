// Forecasts how long a training takes from its first steps. Takes and returns numbers only; used by
// the ETA of the trainer, `jobs plan`, `jobs status` and the analyzer.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/run/steady.hpp"

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
  /// What came after each epoch, as far as it was seen; after_epoch_s is its mean. Empty:
  /// after_epoch_s is taken as known.
  std::vector<double> gaps_s = {};
  std::int64_t steps_per_epoch = 0;
  double work_per_epoch = 0;  ///< In the unit of step_work; not used if it is empty.
  std::int64_t epochs = 0;    ///< Number of epochs of the whole run.
  double unfinished = 0;      ///< The part of the last epoch that the run does not do.
  /// The number of these epochs that an earlier attempt did; the forecast covers the rest.
  double epochs_before = 0;
};

/// With fewer measured iterations there is no forecast, unless an epoch has ended.
inline constexpr std::size_t fewest_iterations = 10;

struct Interval {
  double low_s = 0;
  double high_s = 0;
};

/// Where the time of a run goes.
enum class PartKind { before, first_step, other_steps, after_epochs };

struct Part {
  PartKind kind = PartKind::before;
  double seconds = 0;
};

struct Forecast {
  double total_s = 0;     ///< The sum of the parts.
  double spent_s = 0;     ///< The measured steps and what came before; no interval begins below it.
  double rest_s = 0;      ///< The steps that are still to come.
  double rest_share = 0;  ///< Their part of the whole run, earlier attempts included.
  double after_epoch_s = 0;  ///< What follows one epoch.
  Interval interval_80;
  Interval interval_95;
  std::vector<Part> parts;           ///< One of each kind, in their order.
  std::string classification;        ///< flat, warm-up, drifting or periodic.
  std::vector<std::string> reasons;  ///< The assumptions of the forecast, one line each.
  /// Whether the run is like those of public training logs as far as it was seen. It is not if its
  /// steps after the first scatter by more than usual_deviation (chi-squared test at 5 %; of two
  /// steps, if they differ by more than `apart`), or if there is positive evidence against their
  /// going about one level (Steady::constant).
  bool ordinary = true;
  double steady_step_s = 0;  ///< Time of a future step with the mean work.
};

/// Seconds of one part.
double part_s(const Forecast& forecast, PartKind kind);

/// Forecasts the time of the whole run: the time before the first step, the measured steps, the
/// remaining work at the steady rate (steady.hpp), and the time after each epoch.
///
/// Intervals are prediction intervals: quantiles of a mixture (mixture.hpp) of the ways in which
/// the run may go on: at the steady rate, at another level seen, with stalls or a drift that recur
/// (steady.hpp). Each way has the scatter of the remaining work, whose size is itself uncertain
/// (scatter.hpp), the error that a part of the steps cannot show (steady.hpp), changes of the level
/// (prior_constants.hpp), the scatter of what comes after epochs, and an end that takes up to as
/// long as the time before the first step, but no more than run_end of the run.
///
/// Returns a Refusal for inconsistent numbers, for fewer than 10 iterations (the warm-up cannot be
/// separated; one epoch is enough), if there is no steady state, and if the last steps took no
/// time.
std::variant<Forecast, Refusal> model_forecast(const Series& series);

/// The forecast for another run of the kind on the same system, even if nothing is left to do of
/// this one: intervals reach at least as far as such runs differ (prior_constants.hpp,
/// between_runs).
Forecast for_another_run(Forecast forecast);

/// The forecast with its intervals as they ship: a forecast from whole epochs is stretched by what
/// the forecasts of public training logs taught (shipped_stretch.hpp); any other is unchanged.
Forecast as_shipped(const Forecast& forecast, const Series& series);

/// as_shipped(model_forecast(series)).
std::variant<Forecast, Refusal> forecast(const Series& series);

}  // namespace epochcast::forecast
