// Where an epoch, its steps and its evaluation end, by what was read before. Nothing here changes
// what is remembered.
#pragma once

#include <optional>

#include "src/measure/progress/reading/reading.hpp"
#include "src/measure/progress/rows/run_so_far.hpp"

namespace epochcast::progress {

/// Where the open epoch ended, of which the next one's first print is here: where a line said so,
/// or between the two prints, by the steps that are missing.
double end_before(const RunSoFar& run, const Reading& next, double at_s);

/// How long the steps take that the open epoch has not printed yet, at the rate of those before.
double missing_s(const RunSoFar& run);

/// Where the printed steps of the open epoch end, with those that its last print left out; of one
/// without a total, and without a print where the epochs before had their last: std::nullopt.
std::optional<double> end_of_printed_s(const RunSoFar& run);

/// Where the training ended before an evaluation that is seen under way first.
double end_of_steps(const RunSoFar& run, double at_s);

/// The last epoch is whole if the output says so; if it came to an evaluation, as the epoch before
/// did; or, where it states no ends, if its last print stands where the epoch before had its own:
/// then its missing steps take as long as those before. std::nullopt: it is not.
std::optional<double> end_of_last_s(const RunSoFar& run);

/// Where the output of the attempt before ended.
double end_of_attempt_s(const RunSoFar& run, const Restart& restart, double at_s);

/// How long an epoch of `wall_s` waits for an evaluation after it. What earlier epochs had tells;
/// the first waits ten times as long as it took itself.
double wait_for_evaluation_s(const EpochsBefore& before, double wall_s);

/// What was printed after the steps or the end of an epoch and before the next one.
struct Between {
  bool evaluation = false;  ///< Else no epoch's time.
  double from_s = 0, until_s = 0;
};
/// It is about an evaluation if it tells values; else, and after an evaluation that is known, it is
/// no epoch's time. Lines among the next epoch's steps, as far as their rate leads back, are not
/// meant.
std::optional<Between> between_epochs(const RunSoFar& run, const Reading& next, double at_s);
/// After the steps of the last epoch, as after those before it: what comes later may be about the
/// run.
std::optional<Between> after_last(const RunSoFar& run);

}  // namespace epochcast::progress
