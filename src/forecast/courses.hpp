// The courses that the rate of a run may take: about one level, a level that wanders, or along a
// line.
#pragma once

#include <vector>

#include "src/forecast/scatter.hpp"

namespace epochcast::forecast {

/// A line along which values may go, and its probability. Level and slope are independent.
struct Line {
  double probability = 0;
  double level = 0;  ///< In the middle of the values.
  double level_deviation = 0;
  double slope = 0;  ///< Per step.
  double slope_deviation = 0;
};

/// What values tell of their course. The three probabilities add up to 1.
struct Courses {
  double constant = 1;  ///< Each value has an independent error about one level.
  double wander = 0;    ///< Each step changes the level, and the changes add up (a random walk).
  double trend = 0;     ///< Each value has an independent error about a line.
  /// The standard deviations that the change from one step to the next may have. Probabilities add
  /// up to 1; so do those of `lines`.
  std::vector<Deviation> changes = {};
  std::vector<Line> lines = {};
};

/// Compares the three courses by their Bayes factors (Kass and Raftery 1995). The level may be any
/// in all of them. Errors, changes and slopes have the same prior (scatter.hpp, about `usual`,
/// above 0). Before anything is seen, a run wanders with the probability `wanders` and goes along a
/// line with the probability `trends` (prior_constants.hpp). `values` are in order and do about
/// equal work. Fewer than two tell nothing: constant.
Courses courses_of(const std::vector<double>& values, double usual);

}  // namespace epochcast::forecast
