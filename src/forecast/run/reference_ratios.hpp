// What the reference runs of a run (reference_runs.hpp) predict: how long the rest of theirs was
// beside their first epochs, and how much the run resembles each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/forecast/run/forecast.hpp"

namespace epochcast::forecast {

/// A whole run of the same program on the same data: its epochs do the same work.
struct ReferenceRun {
  std::string system;           ///< Where it ran. Repeats on one system count together as one.
  std::vector<double> epoch_s;  ///< Time of every epoch, in order.
  std::vector<double> gaps_s;   ///< Between its epochs, one fewer than these; empty: not forecast.
  double end_s = 0;             ///< From the end of the last epoch to the end of the run.
};

/// The typical one of the first `count` (at least 1) epochs: the median of their later half, never
/// with the first unless it is the only one.
double typical_epoch_s(const std::vector<double>& epoch_s, std::size_t count);

/// The gaps that have ended: what is known of the one after the last epoch is an estimate.
std::size_t gaps_ended(const RunSeries& seen);

/// What the reference runs on one system predict; means over its runs.
struct ReferenceRatio {
  double log_ratio = 0;  ///< Logarithm of the rest in units of the typical epoch seen.
  /// The closeness. 1: as fast (within `machine_tolerance`, prior_constants.hpp), and the same
  /// course so far (each epoch beside the one before, within `epoch_tolerance`); toward 0 the more
  /// they differ, as the density of Student's t distribution with 3 degrees of freedom does.
  double weight = 0;
  double epochs_share = 0;  ///< Part of the rest that is in epochs.
};

/// One for each system, by rising ratio. The rest is what comes after the epochs and gaps seen, if
/// the reference run is to have as many epochs as the run: one with more is cut, one with fewer
/// goes on at its own rate, and then its end follows. If the run is to end within its last epoch
/// (RunSeries::unfinished), one that the reference run ended within is not a whole one
/// (cut_epoch.hpp) and left out. Reference runs with no more epochs than were seen, and those with
/// an epoch that took no time, are left out. The epochs seen take more than 0 s and are fewer than
/// series.epochs.
std::vector<ReferenceRatio> reference_ratios(const RunSeries& seen,
                                             const std::vector<ReferenceRun>& reference_runs);

}  // namespace epochcast::forecast
