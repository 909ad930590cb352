#include "src/forecast/run/scenarios.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

double drift_seconds(double work, const Steady& steady) {
  const double drifting = std::min(work, steady.drift_work);
  return steady.rate_change * drifting * (work - drifting / 2);
}

/// The sizes that changes of the level may have, in units of the usual one: levels change by more
/// in some runs than in others, as residual deviations do (noise.hpp), and nothing was seen of it.
const std::vector<Deviation>& level_changes() {
  static const auto changes = prior_deviations(1, 12);  // the same for every run
  return changes;
}

/// The steady rate, once for each size that changes of the level may have.
void add_steady(double work, double measured_work, double probability, const Steady& steady,
                std::vector<Component>& scenarios) {
  const double doublings = std::log2(1 + work / measured_work);
  const double level_s = steady.level_change * std::sqrt(doublings) * steady.rate * work;
  const double either_s = drift_seconds(work, steady) / std::sqrt(3.0);
  const double below_s = std::hypot(either_s, steady.bias_below * work);
  const double above_s = std::hypot(either_s, steady.bias_above * work);
  for (const auto& change : level_changes()) {
    scenarios.push_back({.weight = probability * change.probability,
                         .center = seconds_of_rest(work, steady),
                         .below = std::hypot(below_s, change.value * level_s),
                         .above = std::hypot(above_s, change.value * level_s)});
  }
}

/// What a change of the rate adds to its mean over the rest: the mean and its standard deviation,
/// as parts of the change over the whole rest.
struct Added {
  double mean = 0;
  double deviation = 0;
};

/// A change that goes on to the end adds half of it. One that stops after a part p of the rest adds
/// p - p^2 / 2, which has the mean 1/3 and the standard deviation 1 / sqrt(45), if p is uniform.
Added added_by_change(bool stops) {
  return stops ? Added{1.0 / 3, 1 / std::sqrt(45.0)} : Added{0.5, 0};
}

/// A falling rate does not fall below 0: it falls by the same part each time, so that a line that
/// would add x to a mean of 1 makes it expm1(2 x) / (2 x).
double falling(double mean_part) {
  return mean_part < 0 ? std::expm1(2 * mean_part) / (2 * mean_part) : 1 + mean_part;
}

/// What AR(1) errors add to the mean of the rate over the rest.
struct MeanError {
  double share = 0;  ///< Of the error at its start.
  double deviation = 0;
};

/// The mean of an Ornstein-Uhlenbeck process. Over a rest that is short against the time in which
/// errors are lost, it is that of a random walk.
MeanError mean_error(const RateHypothesis& other, double work) {
  constexpr double as_a_walk = 1e-3;
  const double times = other.reversion * work;  // of decay
  if (times < as_a_walk) {
    return {1, other.diffusion * std::sqrt(work / 3)};
  }
  const double once = -std::expm1(-times) / times;
  const double twice = -std::expm1(-2 * times) / (2 * times);
  return {once, other.diffusion / other.reversion * std::sqrt((1 - 2 * once + twice) / work)};
}

Component scenario_of(const RateHypothesis& other, double work) {
  const auto added = added_by_change(other.change_stops);
  const double lever = other.since + added.mean * work;
  const auto ar1_fits = mean_error(other, work);
  const double rate =
      other.rate > 0 ? other.rate * falling(other.rate_change * lever / other.rate) : other.rate;
  // By how much the level is too high, the error at the start is too low.
  const double level_share = other.reversion > 0 ? 1 - ar1_fits.share : 1;
  const double deviation =
      std::sqrt(square(level_share * other.deviation) + square(level_change * other.rate) +
                square(other.change_deviation * lever) +
                square(added.deviation * work * other.rate_change) + square(ar1_fits.deviation));
  return {.center = (rate + ar1_fits.share * other.initial_error) * work,
          .below = deviation * work,
          .above = deviation * work};
}

}  // namespace

double seconds_of_rest(double work, const Steady& steady) {
  return steady.rate * work + drift_seconds(work, steady);
}

std::vector<Component> rest_scenarios(double work, double measured_work, const Steady& steady) {
  double alternatives = 0;
  for (const auto& other : steady.alternatives) {
    alternatives += other.probability;
  }
  const double share = alternatives > most_alternatives ? most_alternatives / alternatives : 1;
  std::vector<Component> scenarios;
  add_steady(work, measured_work, 1 - share * alternatives, steady, scenarios);
  for (const auto& other : steady.alternatives) {
    scenarios.push_back(scenario_of(other, work));
    scenarios.back().weight = share * other.probability;
  }
  return scenarios;
}

std::vector<Component> with_unseen_stalls(std::vector<Component> scenarios, double epoch_s,
                                          double epochs_seen, double epochs_left) {
  constexpr int parts = 8;  // of the frequencies that are possible
  const double beta = stalls_beta + epochs_seen;
  // Beta(alpha, beta) is what is left of the frequencies after epochs_seen without a stall. One is
  // among epochs_left with 1 - B(alpha, beta + epochs_left) / B(alpha, beta), for large beta:
  const double probability = 1 - std::pow(beta / (beta + epochs_left), stalls_alpha);
  const double least = std::log(1 / (4 * epochs_left));
  std::vector<Deviation> frequencies;  // by their logarithm, up to 1
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    const double frequency = std::exp(least * (1 - (i + 0.5) / parts));
    const double any = -std::expm1(epochs_left * std::log1p(-frequency));
    frequencies.push_back(
        {frequency, any * std::pow(frequency, stalls_alpha) * std::pow(1 - frequency, beta - 1)});
    sum += frequencies.back().probability;
  }
  const auto usual = scenarios.front();
  double weight = 0;
  for (std::size_t i = 0; i < std::min(scenarios.size(), level_changes().size()); ++i) {
    weight += probability * scenarios[i].weight;
    scenarios[i].weight *= 1 - probability;
  }
  for (const auto& [frequency, share] : frequencies) {
    for (const double rank : {1.0 / 6, 0.5, 5.0 / 6}) {
      const double longer_s = epoch_s * epoch_tolerance * std::pow(1 - rank, -1 / stalls_exponent);
      const double expected = std::max(1.0, frequency * epochs_left);
      auto scenario = usual;
      scenario.weight = weight * share / sum / 3;
      scenario.center += expected * longer_s;
      scenario.above = std::hypot(scenario.above, std::sqrt(expected) * longer_s);
      scenario.below = std::hypot(scenario.below, std::sqrt(expected - 1) * longer_s);
      scenarios.push_back(scenario);
    }
  }
  return scenarios;
}

}  // namespace epochcast::forecast
