// The time of a training step of a network on one device, from the step times of a few other
// networks on it: launching, which grows with the number of layers, and arithmetic.
#pragma once

#include <variant>
#include <vector>

#include "src/forecast/run/refusal.hpp"

namespace epochcast::forecast {

/// A network with the measured time of its step.
struct NetworkStep {
  double layers = 0;  ///< Or another measure of the launches; 0 in all networks: not known.
  double flops = 0;   ///< Counted FLOPs of a step; above 0.
  double step_s = 0;  ///< Above 0.
};

/// The coefficients; none is below 0.
struct StepLaw {
  double fixed_s = 0;
  double layer_s = 0;
  double flop_s = 0;

  double step_s(double layers, double flops) const {
    return fixed_s + layer_s * layers + flop_s * flops;
  }
};

struct StepCost {
  StepLaw law;
  double freedom = 0;  ///< Degrees of freedom of deviation().

  /// The standard deviation of the logarithm of law.step_s(layers, flops). It combines the scatter
  /// about the model with the differences from the models without fixed launches or without layers,
  /// since a few steps do not decide between them.
  double deviation(double layers, double flops) const;

  struct Rival {
    StepLaw law;
    double weight = 0;  ///< By the quality of its fit.
  };
  std::vector<Rival> rivals = {};
  double variance = 0;  ///< Variance of the scatter.
};

/// Fits the model by non-negative least squares of relative errors. A step consists of launches of
/// about equal length, and FLOPs at one rate: the roofline (Williams et al. 2009) with a launch
/// before every kernel. Small matrix products do not reach the rate of large ones; the difference
/// counts as launching. Returns a Refusal for fewer than three networks of different FLOPs, and for
/// numbers that are not above 0.
std::variant<StepCost, Refusal> step_cost(const std::vector<NetworkStep>& steps);

}  // namespace epochcast::forecast
