// The time of a training step of a network on one device, from the step times of a few other
// networks on it: launching, which grows with the number of layers, and arithmetic. With more
// threads of the same CPU the arithmetic is divided, but the threads must be woken.
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

/// Both times of the same network.
struct ThreadedStep {
  SettingTime fewer;
  double more_s = 0;  ///< Of a step with more threads; above 0.
};

/// How more threads compute a step.
struct ThreadedLaw {
  double speed_up = 1;  ///< Of the arithmetic; from 1 to the ratio of the numbers of threads.
  /// Whether threads are woken for operators that are too small to gain from it. A library that
  /// does not never takes longer with more threads.
  bool wakes_always = true;
  double variance = 0;  ///< Of the logarithm of the ratio of both times, about the law.
};

/// What more threads change.
struct ThreadedCost {
  StepCost fewer;
  /// What the further threads cost a layer: the time to wake them, for each of its parallel
  /// operators.
  double wakes_s = 0;
  ThreadedLaw law;    ///< The one that fits the runs better.
  ThreadedLaw other;  ///< The one with the other answer to wakes_always.

  /// The logarithm of the time with fewer threads over that with more, by `law`.
  double log_ratio(const StepSetting& at) const;

  /// The standard deviation of log_ratio: the scatter about the law, and its differences from the
  /// other one and from the laws of a step with fewer threads that fit as well (StepCost::rivals).
  double deviation(const StepSetting& at) const;
};

/// Fits both laws by least squares of the logarithms of the ratios; wakes_s is measured, and the
/// speed-up is the only coefficient. `threads_ratio`, more over fewer threads, is above 1; `steps`
/// are those that `fewer` was fitted to, and state their layers.
ThreadedCost threaded_cost(const StepCost& fewer, const std::vector<ThreadedStep>& steps,
                           double threads_ratio, double wakes_s);

}  // namespace epochcast::forecast
