// The one file that knows Boost.Math.
#pragma once

namespace epochcast::forecast {

/// How many standard errors an interval reaches to each side to hold `level` (0 to 1) of the
/// outcomes: Student's t of so many degrees of freedom (above 0).
double student_reach(double level, double freedom);

/// The same where the deviation is known.
double normal_reach(double level);

}  // namespace epochcast::forecast
