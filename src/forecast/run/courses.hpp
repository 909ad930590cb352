// The courses that the rate of a run may take: about one level, with errors that are independent or
// that last for a while, or along a line.
#pragma once

#include <vector>

#include "src/forecast/run/scatter.hpp"

namespace epochcast::forecast {

/// A line along which values may go, and its probability. Level and slope are independent.
struct Line {
  double probability = 0;
  double level = 0;  ///< In the middle of the values.
  double level_deviation = 0;
  double slope = 0;  ///< Per step.
  double slope_deviation = 0;
};

/// Errors that last: each is a share of the one before and an independent change (a first-order
/// autoregression). The larger the share, the longer it takes until values return to the level;
/// near 1, the changes add up for as long as a run lasts (a random walk).
struct Lasting {
  double probability = 0;
  double share = 0;  ///< Above 0, below 1.
  double level = 0;
  double level_deviation = 0;
  double change = 0;  ///< Standard deviation of the changes.
};

/// What values tell of their course. The three probabilities add up to 1.
struct Courses {
  double constant = 1;               ///< Each value has an independent error about one level.
  double lasting = 0;                ///< Each value has an error about one level that lasts.
  double trend = 0;                  ///< Each value has an independent error about a line.
  std::vector<Lasting> errors = {};  ///< Probabilities add up to 1; so do those of `lines`.
  std::vector<Line> lines = {};
};

/// Compares the three courses by their Bayes factors (Kass and Raftery 1995). The level may be any
/// in all of them. Errors, changes and slopes have the same prior (scatter.hpp, about `usual`,
/// above 0). Errors fall to 1/e within half a step to 1024 steps: each doubling of this time is
/// equally likely. Before anything is seen, a run has errors that last with the probability
/// `lasts`, and goes along a line with the probability `trends` (prior_constants.hpp). `values` are
/// in order and do about equal work. Fewer than two tell nothing: constant.
Courses courses_of(const std::vector<double>& values, double usual);

}  // namespace epochcast::forecast
