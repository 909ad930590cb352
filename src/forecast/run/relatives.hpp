// Forecasts a run from its first epochs and from runs of the same program elsewhere (another
// system, allocation or month), its relatives: they show which epochs are long, how long the first
// one is beside the others, and what follows the last. Numbers to numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/relative_ratios.hpp"

namespace epochcast::forecast {

/// A forecast from relatives, and what it rests on.
struct FromRelatives {
  Forecast forecast;
  std::size_t systems = 0;  ///< Those with relatives.
  /// How many of them the run resembles: each counts from 0 (nothing alike) to 1.
  double near = 0;
  double spread = 0;  ///< The middle 80 % of what they foretell, as a difference of logarithms.
  /// The run resembles two systems or more (near), and the middle 80 % of them differ by no more
  /// than nominally equal machines do (prior_constants.hpp, apart).
  bool agree = false;
};

/// Forecasts the whole run. What is left of it, epochs and gaps and end, takes as many times as
/// long as the typical epoch seen as it did in the relatives: the median of these ratios over the
/// systems, weighted by closeness (relative_ratios.hpp).
///
/// Intervals are quantiles of a mixture (mixture.hpp): a normal distribution about each system's
/// ratio, narrower the more systems there are (Scott's rule), with the total variance of the ratios
/// kept; the size of that variance is itself uncertain (scatter.hpp: with a single system it is the
/// scatter usual within runs). By Laplace's rule of succession, a run that resembles n systems
/// takes after none of them with the probability 1 / (n + 2): then it is forecast as `without`.
///
/// Returns a Refusal if whole epochs from the first one on were not measured, if no relative has
/// more epochs, if the run resembles none (`near` below 0.1), and if the relatives disagree: the
/// middle 80 % of what they foretell is wider than the 80 % interval of `without`, the forecast of
/// the same run without relatives (std::nullopt: that was refused).
std::variant<FromRelatives, Refusal> forecast_from_relatives(
    const Series& seen, const std::vector<Relative>& relatives,
    const std::optional<Forecast>& without);

}  // namespace epochcast::forecast
