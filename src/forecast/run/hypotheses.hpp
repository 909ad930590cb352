// The hypotheses of how the rest of a run goes, besides the steady rate.
#pragma once

#include <vector>

#include "src/forecast/run/steady.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

// Each adds to steady.alternatives, or to its bias. steady.cpp calls it when the rate is known.

/// An earlier level. Until three of a few steps agree, the rest may go at the rate of any other of
/// them, by Laplace's rule of succession: after r steps at this level, the next one leaves it with
/// the probability 1 / (r + 2).
/// The first step is seldom typical if it was slower, since all warm-up is in it.
void consider_levels(const std::vector<Step>& steps, Steady& steady);

/// A decay: the rate falls further. After two steps, the second may have a part of the warm-up
/// too: no more than it fell, nor than a first step has (first_too_long), or seldom what a
/// geometric decay has left. After three, a geometric decay has a limit (Aitken 1926). One that
/// does not slow down, or like the logarithm of time, may fall twice as far as it fell in the last
/// two steps. There are two steps or more.
void consider_decay(const std::vector<Step>& steps, Steady& steady);

/// AR(1) errors and linear trends, weighed by `steps` (trend_models.hpp). A linear trend goes on to
/// the end with half of its probability; with a sixth each, it stops at any time before, has just
/// ended, or ends with as much again at once. Two steps show no trend. More than 96 steps are
/// merged into blocks.
void consider_trends(const std::vector<Step>& steps, Steady& steady);

/// A stall: it may be the only one, or recur; both are equally likely. If it recurs, its frequency
/// has an exponential distribution, since one was seen in the work measured; here in four equal
/// parts. A stall at the end may also be the start of a new level. `regular`: the steps
/// without it and without the first.
void consider_stall(const Step& stall, bool is_last, const std::vector<Step>& regular,
                    Steady& steady);

}  // namespace epochcast::forecast
