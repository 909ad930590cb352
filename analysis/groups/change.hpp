// Whether the same work takes longer than before: the model of `table compare`.
//
// The logarithm of a run's time of a step is that of its side (base or new), plus an error of the
// run (another placement, other users, the clock of the GPU), plus the error of its steps. The
// second is measured within each run, by the means of batches of consecutive steps, which need not
// be independent (batch means; Law, Simulation Modeling and Analysis, 9.5.3). The first is known
// only from repeats, and of few repeats badly. So its variance has a prior, scaled inverse
// chi-squared, and the two sides are compared by a moderated t-test (Smyth 2004,
// doi:10.2202/1544-6115.1027): a single run a side can be compared at all, and many repeats
// overrule the prior.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace epochcast::analysis {

/// The prior of the standard deviation between runs, and its degrees of freedom. Chosen on pairs of
/// runs of MLPerf v1.0 (median 0.1 %, one system in ten 0.4 %), such that of pairs without a
/// change 2 % are found different; scored on v2.0: change_test.cpp.
inline constexpr double run_deviation = 0.002;
inline constexpr double run_freedom = 4;
/// A difference that does not matter.
inline constexpr double same_within = 0.01;

/// The time of a step of one run.
struct RunLevel {
  double log_s = 0;     ///< Logarithm of the mean in seconds.
  double variance = 0;  ///< Of that, by the batches within the run.
  std::size_t times = 0;
};

/// Of times above 0; nothing of fewer than two.
std::optional<RunLevel> run_level(const std::vector<double>& times_s);

/// The new time over the base time, less 1, with its 95 % interval.
struct Change {
  double ratio_less_1 = 0;
  double low_95 = 0;
  double high_95 = 0;
  double slower = 0;  ///< Probability that the new side is slower.
  /// How many more runs, both sides together, would make the interval exclude no change, or
  /// stay within same_within; 0: it does. Nothing: more than a thousand.
  std::optional<std::size_t> further_runs = {};

  /// "slower", "faster", "same within 1 %" or "not decided".
  std::string verdict() const;
};

/// At least one run a side.
Change change_between(const std::vector<RunLevel>& base, const std::vector<RunLevel>& changed);

}  // namespace epochcast::analysis
