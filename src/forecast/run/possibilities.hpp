// What the rest of a run may do in place of going on as its typical step did.
#pragma once

#include <vector>

#include "src/forecast/run/steady.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

// Each adds to `steady`, of which the rate is known.

/// Until three of a few steps agree, the rest may go like any other of them, by Laplace's rule of
/// succession: of r steps at this level, the next one leaves it with the probability 1 / (r + 2).
/// The first step is seldom typical if it was slower, since all warm-up is in it.
void consider_levels(const std::vector<Step>& steps, Steady& steady);

/// A decay goes on below the last rate. After two steps, the second may have a part of the warm-up
/// too: no more than it fell, nor than a first step has (first_too_long), or seldom what a
/// geometric decay has left. After three, a geometric decay has a limit (Aitken 1926). One that
/// does not slow down, or like the logarithm of time, may fall twice as far as it fell in the last
/// two steps. There are two steps or more.
void consider_decay(const std::vector<Step>& steps, Steady& steady);

/// The errors of the rate may last, or it may go along a line (courses.hpp), of which `steps` tell.
/// A line was seen to go one way: half of its probability is that it goes on to the end, a sixth
/// each that it stops at any time before, that it has just ended, and that it ends with as much
/// again at once. Two steps show no line. More than 96 steps are asked as blocks.
void consider_courses(const std::vector<Step>& steps, Steady& steady);

/// Steps that stalled may be the only ones, or recur: both are equally likely. If they recur, one
/// stall in the work measured leaves its frequency open, by an exponential distribution, here in
/// four equal parts. A stall at the end may also be the start of a new level. `regular`: the steps
/// without it and without the first.
void consider_stall(const Step& stall, bool is_last, const std::vector<Step>& regular,
                    Steady& steady);

}  // namespace epochcast::forecast
