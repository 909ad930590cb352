// What is usual: figures of many training logs (shared/facts/prediction.md 4), for as long as a run
// has not shown its own.
#pragma once

namespace epochcast::forecast {

/// Scatter of one run's epochs, a share of their time: pooled from 1.15, 0.65, 0.41 and 0.18 %, the
/// medians of four MLPerf benchmarks (v1.0 and v2.0).
inline constexpr double usual_deviation = 0.007;

/// Nominally equal nodes differ by up to 5.5 %: what is further off is no longer the machine.
inline constexpr double apart = 0.06;

/// Runs on one system differ by 0.04 to 0.7 % (standard deviation); that much also keeps intervals
/// of dependent times from being too narrow.
inline constexpr double between_runs = 0.005;

/// What a law that few points settle is off by, a share: nominally equal nodes differ by up to 5.5
/// %. Until the points show the law's own error, this counts like so many more of them.
inline constexpr double law_deviation = 0.05;
inline constexpr double law_freedom = 3;

}  // namespace epochcast::forecast
