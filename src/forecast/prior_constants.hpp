// Typical values from many public training logs, used until a run has shown
// its own values.
#pragma once

namespace epochcast::forecast {

/// Scatter of the epochs of one run, as a fraction of their time: pooled from 1.15, 0.65, 0.41 and
/// 0.18 %, the medians of four MLPerf benchmarks (v1.0 and v2.0).
inline constexpr double usual_deviation = 0.007;

/// Nominally equal nodes differ by up to 5.5 %. A larger difference has another cause than the
/// machine.
inline constexpr double apart = 0.06;

/// Runs on one system differ by 0.04 to 0.7 % (standard deviation). This value also keeps the
/// intervals of dependent times from being too narrow.
inline constexpr double between_runs = 0.005;

/// The error of a model fitted to few points, as a fraction: nominally equal nodes differ by up to
/// 5.5 %. Until the points show the error of the model itself, this value counts like law_freedom
/// additional points.
inline constexpr double law_deviation = 0.05;
inline constexpr double law_freedom = 3;

}  // namespace epochcast::forecast
