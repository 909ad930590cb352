// The time of a step with more threads of the same CPU, from its time with fewer: the arithmetic of
// an operator is divided, but its threads must be woken.
#pragma once

#include <vector>

#include "src/forecast/scaling/step_cost.hpp"

namespace epochcast::forecast {

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
