// The trend models of the rate: a constant level with independent errors, a constant level with
// first-order autoregressive errors, AR(1), and a linear trend with independent errors.
#pragma once

#include <vector>

#include "src/forecast/run/noise.hpp"

namespace epochcast::forecast {

/// A linear trend, and its posterior probability. Level and slope are independent.
struct LinearTrend {
  double probability = 0;
  double level = 0;  ///< In the middle of the values.
  double level_deviation = 0;
  double slope = 0;  ///< Per step.
  double slope_deviation = 0;
};

/// AR(1) errors about a level: each error is `share` times the one before, plus an independent
/// normal innovation. The larger the share, the longer it takes until values return to the level;
/// near 1, this is a random walk for as long as a run lasts.
struct Ar1Errors {
  double probability = 0;
  double share = 0;  ///< Above 0, below 1.
  double level = 0;
  double level_deviation = 0;
  double change = 0;  ///< Standard deviation of the innovations.
};

/// The posterior probabilities of the three models, which add up to 1, and their fits.
struct TrendModels {
  double constant = 1;  ///< One level, independent errors.
  double ar1 = 0;       ///< One level, AR(1) errors.
  double linear = 0;    ///< A line, independent errors.
  std::vector<Ar1Errors> ar1_fits =
      {};  ///< Probabilities add up to 1; so do those of `linear_fits`.
  std::vector<LinearTrend> linear_fits = {};
};

/// Compares the three models by their Bayes factors (Kass and Raftery 1995). The prior of the level
/// is flat in all of them. The standard deviations of errors, innovations and slopes have the same
/// prior (noise.hpp, about `usual`, above 0). The time in which AR(1) errors fall to 1/e has a
/// log-uniform prior from half a step to 1024 steps. The prior probabilities are ar1_prior and
/// linear_prior (prior_constants.hpp). `values` are in order and do about equal work. Fewer than
/// two say nothing: constant.
TrendModels fit_trend_models(const std::vector<double>& values, double usual);

}  // namespace epochcast::forecast
