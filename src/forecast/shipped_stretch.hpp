// What forecasts of public training logs taught of the size of their errors, before the user's
// ledger knows more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "src/forecast/conformal.hpp"

namespace epochcast::forecast {

/// The factors that `epochcast-analyze validate epochs --learn FILE --score FILE` prints for all
/// MLPerf trainings of v1.0 and v2.0, for 1, 2, 3, 4 and 5 epochs seen. The test SlowShippedStretch
/// computes them again.
inline constexpr std::array<Stretch, 5> stretch_by_epochs_seen{
    Stretch{.of_80 = 0.96, .of_95 = 1.09}, Stretch{.of_80 = 1.08, .of_95 = 0.86},
    Stretch{.of_80 = 1.00, .of_95 = 0.89}, Stretch{.of_80 = 0.82, .of_95 = 0.92},
    Stretch{.of_80 = 0.81, .of_95 = 0.97}};

/// For 6 to 10 epochs as for 5. From 11 on the model looks for a warm-up, levels and drifts
/// (steady.hpp), which was not scored: nothing is stretched. `epochs_seen` is at least 1.
constexpr Stretch shipped_stretch(std::size_t epochs_seen) {
  constexpr std::size_t most_like_few = 10;
  return epochs_seen > most_like_few
             ? Stretch{}
             : stretch_by_epochs_seen[std::min(epochs_seen, stretch_by_epochs_seen.size()) - 1];
}

}  // namespace epochcast::forecast
