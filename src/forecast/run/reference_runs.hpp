// Forecasts a run from its first epochs and from runs of the same program elsewhere (another
// system, allocation or month), its reference runs: they show which epochs are long, how long the
// first one is beside the others, and what follows the last. Numbers to numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/reference_ratios.hpp"

namespace epochcast::forecast {

/// A forecast from reference runs, and what it rests on.
struct FromReferenceRuns {
  Forecast forecast;
  std::size_t systems = 0;  ///< Those with reference runs.
  /// How many of them the run resembles: each counts from 0 (nothing alike) to 1.
  double near = 0;
  double spread = 0;  ///< The middle 80 % of what they predict, as a difference of logarithms.
  /// The run resembles two systems or more (near), and the middle 80 % of them differ by no more
  /// than nominally equal machines do (prior_constants.hpp, machine_tolerance).
  bool agree = false;
};

/// Forecasts the whole run. What is left of it, epochs and gaps and end, takes as many times as
/// long as the typical epoch seen as it did in the reference runs: the median of these ratios over
/// the systems, weighted by closeness (reference_ratios.hpp).
///
/// The half-widths are errors_80 and errors_95 (prior_constants.hpp) standard errors of the
/// logarithm of that ratio: the weighted spread of the systems, of which few count as noisy as
/// epochs. By Laplace's rule of succession, a run that resembles n systems takes after none of them
/// with the probability 1 / (n + 2): with that weight, the variance is that of `without`.
///
/// Returns a Refusal if whole epochs from the first one on were not measured, if no reference run
/// has more epochs, if the run resembles none (`near` below 0.1), and if the reference runs
/// disagree: the middle 80 % of what they predict is wider than the 80 % interval of `without`, the
/// forecast of the same run without reference runs (std::nullopt: that was refused).
std::variant<FromReferenceRuns, Refusal> forecast_from_reference_runs(
    const RunSeries& seen, const std::vector<ReferenceRun>& reference_runs,
    const std::optional<Forecast>& without);

}  // namespace epochcast::forecast
