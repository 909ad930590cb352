// Evaluations, or checkpoints, that come between the steps of a run at known points of its work.
#pragma once

#include <optional>
#include <vector>

#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {

/// In the unit of the steps' work. The first two are above 0.
struct Schedule {
  double first = 0;  ///< Work after which the first comes,
  double every = 0;  ///< and the work between two.
  /// How long one is taken to be that was not seen yet, as a part of the work between two.
  double unseen = unseen_evaluation;

  /// How many have come after the step that ends at `work`.
  double count_until(double work) const;
};

/// The schedule that the pauses seen show, where `done` is the work done at the beginning of each:
/// those that are longer than half of the longest, where all others take less than a quarter of it,
/// come at equal distances. One alone comes again after as much work as before it, unless that is
/// done already. std::nullopt: all pauses are alike, or none of this holds.
std::optional<Schedule> seen_schedule(const std::vector<double>& pauses_s,
                                      const std::vector<double>& done);

}  // namespace epochcast::forecast
