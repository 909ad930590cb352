// What a training step of a network costs on one device, from steps of a few other networks there:
// launching, which goes with its layers, and arithmetic.
#pragma once

#include <variant>
#include <vector>

#include "src/forecast/refusal.hpp"

namespace epochcast::forecast {

/// A network whose step was timed.
struct NetworkStep {
  double layers = 0;  ///< Or what else the number of launches grows with; 0 of all: not known.
  double flops = 0;   ///< Counted, of a step; above 0.
  double step_s = 0;  ///< Above 0.
};

/// None of them below 0.
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
  double freedom = 0;  ///< Of deviation().

  /// Standard deviation of the logarithm of law.step_s() there: the scatter about the law, and how
  /// far the laws without launches of their own or without layers would be off, since a few steps
  /// do not decide.
  double deviation(double layers, double flops) const;

  struct Rival {
    StepLaw law;
    double weight = 0;  ///< By how well it fits.
  };
  std::vector<Rival> rivals = {};
  double variance = 0;  ///< Of the scatter.
};

/// By non-negative least squares of relative errors. A step is taken as launches, all of about one
/// length, and FLOPs at one rate: the roofline (Williams et al. 2009) with a launch before every
/// kernel. Small products do not reach the rate of large ones, which shows as launching.
/// Refused for fewer than three networks of different FLOPs and for numbers that are not above 0.
std::variant<StepCost, Refusal> step_cost(const std::vector<NetworkStep>& steps);

}  // namespace epochcast::forecast
