// What the rest of a run may do in place of going on as its typical step did.
#pragma once

#include <vector>

#include "src/forecast/steady.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {

// Each adds to `steady`, of which the rate is known.

/// Until three of a few steps agree, the rest may go like any other of them, by Laplace's rule of
/// succession: of r steps at this level, the next one leaves it with the probability 1 / (r + 2).
/// The first step is seldom typical if it was slower, since all warm-up is in it.
void consider_levels(const std::vector<Step>& steps, Steady& steady);

/// A decay goes on below the last rate. After two steps, the second may have a part of the warm-up
/// too: seldom as much as a first step (first_too_long), else no more than it fell.
/// After three, a geometric decay has a limit (Aitken 1926). One that does not slow down, or like
/// the logarithm of time, may fall twice as far as it fell in the last two steps. There are two
/// steps or more.
void consider_decay(const std::vector<Step>& steps, Steady& steady);

/// Steps that grew longer may grow by up to as much again at once. `regular`: the steps without the
/// first and without a stall.
void consider_growth(const std::vector<Step>& steps, const std::vector<Step>& regular,
                     Steady& steady);

/// The level may wander, or the rate may go along a line (courses.hpp), of which `steps` tell. What
/// was seen to go one way may stop or go on to the end of the run: a walk went no further than in
/// the steps seen, or goes on; a line goes on to the end, or has just ended, or stops at any time
/// before. More than 96 steps are asked as blocks.
void consider_courses(const std::vector<Step>& steps, Steady& steady);

/// Steps that stalled may be the only ones, or recur: both are equally likely. If they recur, one
/// stall in the work measured leaves its frequency open, by an exponential distribution, here in
/// four equal parts. A stall at the end may also be the start of a new level. `regular`: the steps
/// without it and without the first.
void consider_stall(const Step& stall, bool is_last, const std::vector<Step>& regular,
                    Steady& steady);

}  // namespace epochcast::forecast
