// Forecasts how long a training takes from its first steps. Takes and returns numbers only; used by
// the ETA of the trainer, `jobs plan`, `jobs status` and the analyzer.
//
// The model
// ---------
// Data. A run has steps i = 1..n (iterations, or whole epochs) with a time and an amount of work
// each, so a rate y_i in seconds per unit of work. The work W that is left is known.
//
// State. The rest goes at one rate r, or the rate changes in one of the ways below. The estimate
// of r (steady.hpp) is
//   n = 1             its rate; the part of it that is warm-up is not known
//   n < 11            the mean of the later half of the steps after the first, without a stall; of
//                     2 that are alike, the second and linear_prior of their difference
//   more              MSER removes the warm-up, PELT finds the last level (too short: refused), the
//                     mean is taken over whole periods; a Theil-Sen line if the steps drift
// A stall that is not extrapolated is no part of n. The forecast is the time measured + r W + the
// drift + the mean gap after each epoch. The mixture below gives the intervals only.
//
// Likelihood. The rates of equal blocks of work are independent normal values about r with the
// standard deviation s. Any r is equally likely before; integrated out, it leaves n - 1 degrees of
// freedom. The prior of s is wide: log(s / (usual_deviation r)) is spread_of_deviations times a
// Student's t value with 3 degrees of freedom. Its posterior is computed on a grid (noise.hpp).
// From 10 values on, s is multiplied by sqrt((1 + a) / (1 - a)), a their lag-1 autocorrelation.
//
// Hypotheses of the rest, and their prior probabilities:
//   steady            what the others leave, but at least a quarter. The level does a random walk
//                     over doublings of the measured work, of level_change each; a measured drift
//                     may stop at once or go twice as far; for few steps, the mean may be biased
//                     toward the earlier ones (bias_below, bias_above)
//   earlier level     up to 4 steps, until the last 3 agree: one of the levels seen before returns,
//                     1 / (m + 2) after m steps at the present one (Laplace's rule of succession);
//                     of a slower first step, 1/20
//   decay             2 steps, the second faster: the rate falls once more, 1/2, or geometrically,
//                     1/10, if the first was slower by more than epoch_tolerance; else once, 1/10
//   AR(1) errors      ar1_prior; times of decay from half a step to 1024 steps, log-uniform
//   linear trend      linear_prior; the slope has the prior of s. It goes on to the end (1/2),
//                     stops on the way, has just ended, or ends with as much again (1/6 each)
//   stall recurs      a stall was seen: 1/2, its frequency exponential; a stall at the end may also
//                     be a new level, 1/3
//   unseen stall      steps are epochs, from 11 on, none seen: the frequency of stalls has a beta
//                     distribution, their length Pareto's
// The posterior of AR(1) and trend against a constant level follows from Bayes factors
// (trend_models.hpp); the other hypotheses keep the probabilities above.
//
// Intervals. Each hypothesis is a normal component for the seconds of the rest, with its own
// standard deviation below and above (scenarios.hpp, mixture.hpp). Each is convolved with the
// independent errors: noise of B blocks to come for each s, s sqrt(B + B^2 / b) after b blocks;
// gaps after epochs, which vary like those seen; an evaluation or checkpoint not seen so far
// (unseen_gap, probability 1 / (epochs seen + 1)), or as its schedule says (pauses.hpp); and the
// end of the run. The ends of an interval are quantiles of this mixture, and never below the time
// already spent.
//
// Calibration. Where steps are epochs or blocks, the half-widths of forecasts from 1 to 10 of them
// are multiplied by factors from the errors on public logs (shipped_calibration.hpp,
// conformal.hpp). `predict` and `plan` multiply all by factors from the user's own ledger too, once
// it has 20 outcomes (src/forecast/ledger).
//
// Constants. They stand in prior_constants.hpp with their origin. About half were learned from the
// MLPerf Training logs v1.0 and v2.0, so the scores of `epochcast-analyze validate epochs` on these
// logs are optimistic; --learn FILE --score FILE takes the calibration from other logs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/run/schedule.hpp"
#include "src/forecast/run/steady.hpp"

namespace epochcast::forecast {

/// The measurements of a run and the length of the whole run. Steps are iterations, or whole epochs
/// (steps_per_epoch 1).
struct RunSeries {
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
  /// Steps are blocks of work, or single steps, of which `epochs` is the number (steps_per_epoch
  /// 1); gaps_s is what followed each, and after_epoch_s is not used.
  bool of_blocks = false;
  /// What comes at stated points: of the work of blocks, else of epochs.
  std::vector<Schedule> schedules = {};
  bool ends_with_step = false;  ///< Nothing follows the last block.
};

/// With fewer measured iterations there is no forecast, unless an epoch has ended.
inline constexpr std::size_t fewest_iterations = 10;

/// Where the time of a run goes.
enum class PartKind { before, first_step, other_steps, after_epochs };

struct Part {
  PartKind kind = PartKind::before;
  double seconds = 0;
};

struct Forecast {
  Prediction total_s;     ///< The sum of the parts.
  double spent_s = 0;     ///< The measured steps and what came before; no interval begins below it.
  double rest_s = 0;      ///< The steps that are still to come.
  double rest_share = 0;  ///< Their part of the whole run, earlier attempts included.
  double after_epoch_s = 0;          ///< What follows one epoch.
  std::vector<Part> parts;           ///< One of each kind, in their order.
  std::string classification;        ///< flat, warm-up, drifting or periodic.
  std::vector<std::string> reasons;  ///< The assumptions of the forecast, one line each.
  /// Whether the run is like those of public training logs so far. It is not if the residuals of
  /// the times of the steps after the first are larger than usual_deviation (chi-squared test at 5
  /// %; of two steps, if they differ by more than machine_tolerance), or if there is positive
  /// evidence against one level (Steady::constant).
  bool well_behaved = true;
  double steady_step_s = 0;  ///< Time of a future step with the mean work.
  /// Whether pauses between blocks were seen, or their schedule is stated. If not, an evaluation
  /// may begin later.
  bool pauses_known = true;
};

/// Seconds of one part.
double part_s(const Forecast& forecast, PartKind kind);

/// Forecasts the time of the whole run: the time before the first step, the measured steps, the
/// remaining work at the steady rate (steady.hpp), and the time after each epoch.
///
/// Intervals are quantiles of the mixture (the model, above).
///
/// Returns a Refusal for inconsistent numbers, for fewer than 10 iterations (the warm-up cannot be
/// separated; one epoch is enough), if there is no steady state, and if the last steps took no
/// time.
std::variant<Forecast, Refusal> model_forecast(const RunSeries& series);

/// The forecast for another run of the kind on the same system, even if nothing is left to do of
/// this one: intervals reach at least as far as such runs differ (prior_constants.hpp,
/// between_runs).
Forecast for_another_run(Forecast forecast);

/// The forecast with its intervals as they ship: a forecast from whole epochs is calibrated by what
/// the forecasts of public training logs taught (shipped_calibration.hpp), and one from blocks
/// where the pauses are known; any other is unchanged.
Forecast as_shipped(const Forecast& forecast, const RunSeries& series);

/// as_shipped(model_forecast(series)).
std::variant<Forecast, Refusal> forecast(const RunSeries& series);

}  // namespace epochcast::forecast
