// Every constant of a prior and every learned threshold of the forecast (the model: forecast.hpp).
// They hold until a run has shown its own values.
//
// The first part was learned from public training logs: MLPerf Training v1.0 and v2.0. The second
// part was chosen.
#pragma once

#include <cstddef>

namespace epochcast::forecast {

/// Scatter of the epochs of one run, as a fraction of their time: pooled from 1.15, 0.65, 0.41 and
/// 0.18 %, the medians of four MLPerf benchmarks (v1.0 and v2.0).
inline constexpr double usual_deviation = 0.007;

/// How much that noise differs between kinds of runs: standard deviation of the logarithms of the
/// same four medians.
inline constexpr double spread_of_deviations = 0.8;

/// Epochs are equal within this tolerance if they differ by no more than three standard deviations
/// of the difference of two epochs.
inline constexpr double epoch_tolerance = 0.03;

/// Change of the level of a run each time that its measured length doubles, as a standard deviation
/// and a fraction. Such changes have no time scale of their own: what was constant for 5 epochs may
/// change once in the next 5, and once in the next 10. The middle, by their logarithms, of what
/// runs on one system differ by (0.04 to 0.7 %). In some runs the level changes by much more, as
/// noise does (spread_of_deviations).
inline constexpr double level_change = 0.0017;

/// How often the errors of a run are autocorrelated (AR(1)), and how often it has a linear trend:
/// the epochs of one of four MLPerf benchmarks depend on the epoch before (lag-1 autocorrelation
/// 0.72; the others 0.02, 0.18 and 0.31), so one run in four is not constant. One was seen to
/// depend so and none to have a linear trend to its end: by Laplace's rule of succession, two
/// thirds and one third of that quarter.
inline constexpr double ar1_prior = 0.25 * 2 / 3;
inline constexpr double linear_prior = 0.25 / 3;

/// By how much the first epoch of a run differs from those after it, as a standard deviation and a
/// fraction: in the same logs, N times the first epoch is off by 3.47 % in the middle, which is
/// 0.6745 standard deviations. Some runs differ by ten times as much, as noise does.
inline constexpr double first_excess = 0.0347 / 0.6745;

/// A run's only epoch: N times the first epoch of those logs is too high by 29 % (p90) and 75 %
/// (p95), so the total is lower by 22 and 43 %. That is about 1.28 and 1.96 times first_too_long,
/// as for the 80 and 95 % intervals of a normal distribution. N times the first epoch is too low by
/// 4 % for the one benchmark whose first epoch is the shortest: 1.28 times first_too_short.
inline constexpr double first_too_long = 0.20;
inline constexpr double first_too_short = 0.03;

/// Stalls of single epochs in those logs, where a stall is an epoch that is slower than the median
/// one by more than epoch_tolerance: how often epochs stall differs between runs like a beta
/// distribution with these parameters, and how much longer they take follows Pareto's law with this
/// exponent from `epoch_tolerance` on (maximum likelihood; 1,674 stalls in 254 of 1,137 runs).
inline constexpr double stalls_alpha = 0.109;
inline constexpr double stalls_beta = 3.19;
inline constexpr double stalls_exponent = 0.89;

/// An evaluation or a checkpoint that comes only every so many epochs: its time as a fraction of an
/// epoch.
inline constexpr double unseen_gap = 0.05;

/// Logs that count blocks or steps (MLPerf Training v4.0 and v5.0, one run a configuration).
/// Between blocks, the later pauses are 0.985 (v4.0) and 0.991 (v5.0) of the first in the middle;
/// where only one was seen, one in five is far longer than those to come (to twice as long). Later
/// ones are alike within pause_noise. A mean of the later ones of less than same_kind_of_pause of
/// the first is of another kind.
inline constexpr double first_pause = 0.99;
inline constexpr double first_is_much_longer = 0.2;
inline constexpr double pause_noise = 0.05;
inline constexpr double same_kind_of_pause = 0.4;

/// In the same logs an evaluation takes 0.2 of the work between two (v5.0: 0.20 in the middle, from
/// 0.05 on; v4.0: 0.24, up to 0.3), and its logarithm spreads by so much.
inline constexpr double unseen_evaluation = 0.2;
inline constexpr double spread_of_evaluations = 0.7;
/// The same of a checkpoint, of which those logs say nothing: judgement.
inline constexpr double unseen_checkpoint = 0.02;

/// Evaluations that begin later than what was seen, as a part of the rest of the run at most; and
/// what pauses take in all where no evaluation was seen, as a part of the steps.
inline constexpr double unseen_pauses = 0.25;
inline constexpr double no_pause = 0.01;

/// As level_change, of the kinds of v4.0 that have 20 blocks or more: 0.0003 (gpt3), 0.0064 (stable
/// diffusion) and 0.0078 (unet3d).
inline constexpr double level_change_of_blocks = 0.0064;

/// How long the end of a run takes at most, after what follows its last epoch, as a fraction of the
/// run: 0 to 0.8 % in a later MLPerf round.
inline constexpr double run_end = 0.008;

/// Nominally equal nodes differ by up to 5.5 %. A larger difference has another cause than the
/// machine.
inline constexpr double machine_tolerance = 0.06;

/// Runs on one system differ by 0.04 to 0.7 % (standard deviation).
inline constexpr double between_runs = 0.005;

/// The error of a model fitted to few points, as a fraction: nominally equal nodes differ by up to
/// 5.5 %. Until the points show the error of the model itself, this value counts like law_freedom
/// additional points.
inline constexpr double law_deviation = 0.05;
inline constexpr double law_freedom = 3;

// The following were chosen by judgement and then kept because they did well on the same logs; no
// fit gave them.

/// The prior of a standard deviation: degrees of freedom of Student's t distribution of its
/// logarithm. The closeness of reference runs falls off in the same way.
inline constexpr double noise_freedom = 3;

/// The probability of a hypothesis that is seldom true. A 95 % interval leaves out 2.5 % on each
/// side, so one that has a hypothesis of this probability reaches about as far as it, and an 80 %
/// interval does not.
inline constexpr double seldom = 0.05;

/// A change that was seen to go one way may stop, or go on.
inline constexpr double goes_on = 0.5;

/// A stall may be the only one, or recur. One at the end may begin a new level.
inline constexpr double recurs = 0.5;
inline constexpr double new_level_after_stall = 1.0 / 3;

/// All hypotheses besides the steady rate have no more than this probability together.
inline constexpr double most_alternatives = 0.75;

/// Until so many steps agree, any level seen may be that of the rest; with more steps than
/// few_steps, their noise tells how far levels reach.
inline constexpr std::size_t enough_to_agree = 3;
inline constexpr std::size_t few_steps = 4;

/// The prior of the noise of gaps after epochs: half their mean, which counts like so many more of
/// them.
inline constexpr double gap_noise = 0.5;
inline constexpr double gap_freedom = 3;

/// The odds against one level from which a run is not well-behaved: positive evidence (Kass and
/// Raftery 1995).
inline constexpr double positive_evidence = 3;

/// With fewer steps after the first, MSER, autocorrelation and jumps say little; with fewer than
/// fewest_for_blocks, MSER takes single steps. Autocorrelation counts up to most_autocorrelation.
inline constexpr std::size_t fewest_for_mser = 10;
inline constexpr std::size_t fewest_for_blocks = 50;
inline constexpr double most_autocorrelation = 0.9;

/// A level has so many steps or more: one or two may be stalls.
inline constexpr std::size_t fewest_of_level = 3;

/// Each level costs this times ln n, in units of noise squared (Barrett et al. 2017; levels.hpp).
inline constexpr double level_penalty = 15;

/// A period explains at least a quarter of the variance: an autocorrelation of a half.
inline constexpr double least_of_period = 0.5;

/// Reference runs: one system cannot agree with itself; and one system two and a half times as
/// different as machines and epochs of one kind are, or several further away, is none.
inline constexpr double fewest_systems = 2;
inline constexpr double least_near = 0.1;

/// Calibration factors below 1 for a group that was not seen: the model counts as so many groups.
inline constexpr double model_counts = 3;

}  // namespace epochcast::forecast
