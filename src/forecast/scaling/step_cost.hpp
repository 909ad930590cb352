// The time of a training step of a network on one device, from the step times of a few other
// networks on it: launching, which grows with the number of layers, and arithmetic.
#pragma once

#include <variant>
#include <vector>

#include "src/forecast/scaling/law_error.hpp"
#include "src/forecast/scaling/step_terms.hpp"

namespace epochcast::forecast {

/// The terms of a network's step, in the order of the coefficients.
const StepTerms& network_terms();

struct StepCost {
  FittedStepLaw law;   ///< Of network_terms().
  double freedom = 0;  ///< Degrees of freedom of deviation().

  /// The standard deviation of the logarithm of law.step_s(at). It combines the scatter about the
  /// model with the differences from the models without fixed launches or without layers, since a
  /// few steps do not decide between them.
  double deviation(const StepSetting& at) const;

  struct Rival {
    FittedStepLaw law;
    double variance = 0;  ///< Of the scatter about it.
  };
  std::vector<Rival> rivals = {};
  double variance = 0;  ///< Variance of the scatter.
};

/// Fits the model by non-negative least squares of relative errors. A step consists of launches of
/// about equal length, and FLOPs at one rate: the roofline (Williams et al. 2009) with a launch
/// before every kernel. Small matrix products do not reach the rate of large ones; the difference
/// counts as launching. The settings are networks: layers (0 in all: not known) and FLOPs of a
/// step. Returns a Refusal for fewer than three networks of different FLOPs, and for numbers that
/// are not above 0.
std::variant<StepCost, Refusal> step_cost(const std::vector<SettingTime>& steps);

}  // namespace epochcast::forecast
