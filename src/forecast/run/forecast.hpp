// Forecasts how long a training takes from its first units of work: epochs, blocks or steps. Takes
// and returns numbers only. Used by `predict`, `plan`, `status`, `epochcast-run`, the trainer,
// `run`, `retry` and `advise`.
//
// The model
// ---------
// Units. A run has done K units with the times t_1..t_K and the work w_1..w_K; y_i = t_i / w_i are
// seconds per unit of work, and the work W is left. Units are whole epochs as soon as one has
// ended, else blocks of a log, else single steps, merged into 10 to 19 blocks of equal size. Of
// an epoch that has begun, steps say how much is done; of the first one, how much of it was
// warm-up, which is taken off y_1.
//
// Rate. r is the mean rate of the later half of the units 2..K: h of them (K = 1: r = y_1). With
// few units an odd one is left out: of three the last, if it is slower than both others by 6 % and
// these are alike within 6 %; of four and five (without the first) one that is slower than all
// others by 6 % and by twice their range. K = 4 and 5: r is the middle of that mean and the median
// of the last three.
//
//   total = start + units + r W + pauses
//
// This point forecast is the twelve-line rule "seen + rest x mean of the later half". What follows
// gives the intervals.
//
// Noise. With the sum SS of squared distances of y_2/r..y_K/r from their mean (K >= 10: of the
// later half), which has f degrees of freedom, the variance of a unit is
//   s^2 = (2 x 0.012^2 + SS) / (2 + f)
// so noise has few degrees of freedom before a run shows its own. K = 2: SS = d^2 / 2, f = 1, where
// d = y_1/r - 1, at most 0.055, since more is warm-up.
//
// Error of the mean rate to come, of m = W / (mean work of a unit) units, as a part of r:
//   e^2 = s^2 (1/h + 1/m + 1)
// the noise of the units seen, of those to come, and, as if it were one more unit, of a level that
// changes: errors of a run are not independent (AR(1)). To this are added in quadrature
//   both sides   0.5 (1 - y_1/r) / sqrt(K - 1)    if the first unit was faster
//   below        0.2 (y_1/r - 1) / sqrt(K - 1)    if it was slower (at most 0.3): warm-up may go on
//   above        0.1 (y_1/r - 2) / sqrt(K - 1)    if it took more than twice the time
//   K = 1        0.13 below and 0.07 above, instead of s; above 2 s where steps show the warm-up
//   above        0.35 (1 - seen / 0.3)  for steps of a run without epochs, where less than 0.3 of
//   the
//                it was seen and no schedule is stated: a schedule may begin later
//   above        0.05 (1 - seen) where no pause was seen or stated: evaluations may begin later
// Where a log does not show how long its first epoch took, that epoch counts like those to come,
// and above 0.3 of it is added in quadrature: it may have had a warm-up. Where the output does not
// show when the first epoch began, its time counts as start; of a single one, 10 s of the start may
// be in it, which widens the interval below.
//
// Intervals. The half-widths are 1.1 and 3.9 errors (80 and 95 %): conformal scores, learned with
// each configuration once; 3.9 is the largest that is asked for without one of the sources of runs,
// each benchmark with the same weight. Pauses (pauses.hpp) and the end of the run are independent
// of that, and are added in quadrature with 1.28 and 1.96 standard deviations. A run that stops at
// a target ends at any point of its last epoch: half an epoch is taken off, and half an epoch is
// added to both half-widths. No interval begins before the time that was already spent.
//
// Constants stand in prior_constants.hpp, with their origin. docs/explanation/forecasts.md has what
// each term wins on which data; tests/bench/forecast_scores computes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/run/schedule.hpp"
#include "src/forecast/statistics/prediction.hpp"

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
  /// The first epochs of the run are among its `epochs`, but their times are not in step_s.
  bool lacks_first = false;
  /// The only unit began somewhere within its time: the rest is the start of the program.
  bool begin_unknown = false;
  /// Steps are blocks of work, or single steps, of which `epochs` is the number (steps_per_epoch
  /// 1); gaps_s is what followed each, and after_epoch_s is not used.
  bool of_blocks = false;
  /// What comes at stated points: of the work of blocks, else of epochs.
  std::vector<Schedule> schedules = {};
  bool ends_with_step = false;  ///< Nothing follows the last block.
  /// Blocks are single steps, or a few of them: how much they do may follow a schedule.
  bool of_steps = false;
  /// Steps are epochs, and the run stops at a target: at any point of its last epoch.
  bool stops_at_target = false;
  /// The part of the first step (an epoch) that its own steps show as warm-up, in seconds;
  /// std::nullopt: not known.
  std::optional<double> warm_up_s = {};
  /// The step that has begun: what it did so far, in the unit of step_work, and the time that took.
  double begun_work = 0;
  double begun_s = 0;
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
  std::string classification;        ///< flat or warm-up.
  std::vector<std::string> reasons;  ///< The assumptions of the forecast, one line each.
  double steady_step_s = 0;          ///< Time of a future step with the mean work.
};

/// Seconds of one part.
double part_s(const Forecast& forecast, PartKind kind);

/// Forecasts the time of the whole run (the model, above).
///
/// Returns a Refusal for inconsistent numbers, for fewer than 10 iterations (the warm-up cannot be
/// separated; one epoch is enough), and if the last steps took no time.
std::variant<Forecast, Refusal> forecast(const RunSeries& series);

/// The forecast for another run of the kind on the same system, even if nothing is left to do of
/// this one: intervals reach at least as far as such runs differ (prior_constants.hpp,
/// between_runs).
Forecast for_another_run(Forecast forecast);

}  // namespace epochcast::forecast
