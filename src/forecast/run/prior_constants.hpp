// Typical values from many public training logs, used until a run has shown
// its own values.
#pragma once

namespace epochcast::forecast {

/// Scatter of the epochs of one run, as a fraction of their time: pooled from 1.15, 0.65, 0.41 and
/// 0.18 %, the medians of four MLPerf benchmarks (v1.0 and v2.0).
inline constexpr double usual_deviation = 0.007;

/// How much that scatter differs between kinds of runs: standard deviation of the logarithms of the
/// same four medians.
inline constexpr double spread_of_deviations = 0.8;

/// Epochs are alike if they differ by no more than three standard deviations of the difference of
/// two epochs.
inline constexpr double alike = 0.03;

/// Change of the level of a run each time that its measured length doubles, as a standard deviation
/// and a fraction. Such changes have no time scale of their own: what was constant for 5 epochs may
/// change once in the next 5, and once in the next 10. The middle, by their logarithms, of what
/// runs on one system differ by (0.04 to 0.7 %). In some runs the level changes by much more, as
/// scatter does (spread_of_deviations).
inline constexpr double level_change = 0.0017;

/// How often the errors of a run last, and how often it goes along a line: the epochs of one of
/// four MLPerf benchmarks depend on the epoch before (lag-1 autocorrelation 0.72; the others 0.02,
/// 0.18 and 0.31), so one run in four is not constant. One was seen to depend so and none to go
/// along a line to its end: by Laplace's rule of succession, two thirds and one third of that
/// quarter.
inline constexpr double lasts = 0.25 * 2 / 3;
inline constexpr double trends = 0.25 / 3;

/// By how much the first epoch of a run differs from those after it, as a standard deviation and a
/// fraction: in the same logs, N times the first epoch is off by 3.47 % in the middle, which is
/// 0.6745 standard deviations. Some runs differ by ten times as much, as scatter does.
inline constexpr double first_excess = 0.0347 / 0.6745;

/// A run's only epoch: N times the first epoch of those logs is too high by 29 % (p90) and 75 %
/// (p95), so the total is lower by 22 and 43 %. That is about 1.28 and 1.96 times first_too_long,
/// as for the 80 and 95 % intervals of a normal distribution. N times the first epoch is too low by
/// 4 % for the one benchmark whose first epoch is the shortest: 1.28 times first_too_short.
inline constexpr double first_too_long = 0.20;
inline constexpr double first_too_short = 0.03;

/// Stalls of single epochs in those logs, where a stall is an epoch that is not alike the median
/// one but slower: how often epochs stall differs between runs like a beta distribution with these
/// parameters, and how much longer they take follows Pareto's law with this exponent from `alike`
/// on (maximum likelihood; 1,674 stalls in 254 of 1,137 runs).
inline constexpr double stalls_alpha = 0.109;
inline constexpr double stalls_beta = 3.19;
inline constexpr double stalls_exponent = 0.89;

/// An evaluation or a checkpoint that comes only every so many epochs: its time as a fraction of an
/// epoch.
inline constexpr double rare_gap = 0.05;

/// How long the end of a run takes at most, after what follows its last epoch, as a fraction of the
/// run: 0 to 0.8 % in a later MLPerf round.
inline constexpr double run_end = 0.008;

/// Nominally equal nodes differ by up to 5.5 %. A larger difference has another cause than the
/// machine.
inline constexpr double apart = 0.06;

/// Runs on one system differ by 0.04 to 0.7 % (standard deviation).
inline constexpr double between_runs = 0.005;

/// The error of a model fitted to few points, as a fraction: nominally equal nodes differ by up to
/// 5.5 %. Until the points show the error of the model itself, this value counts like law_freedom
/// additional points.
inline constexpr double law_deviation = 0.05;
inline constexpr double law_freedom = 3;

}  // namespace epochcast::forecast
