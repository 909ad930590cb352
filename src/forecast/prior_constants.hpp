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

/// How often the level of a run wanders: the epochs of one of four MLPerf benchmarks depend on the
/// epoch before (lag-1 autocorrelation 0.72; the others 0.02, 0.18 and 0.31).
inline constexpr double wanders = 0.25;

/// An evaluation or a checkpoint that comes only every so many epochs: its time as a fraction of an
/// epoch.
inline constexpr double rare_gap = 0.05;

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
