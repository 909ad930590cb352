#include "src/forecast/run/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/hypotheses.hpp"
#include "src/forecast/run/levels.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/regression.hpp"
#include "src/forecast/run/warm_up.hpp"

namespace epochcast::forecast {
namespace {

constexpr std::size_t smallest_block = 5;  // MSER-5
constexpr std::size_t most_blocks = 500;   // the tests after the cut are quadratic

/// A value that rose or fell by `amount` may continue by anything from nothing to the same amount
/// again. Returns the root mean square of that change, for a forecast that does not include it.
double as_much_again(double amount) {
  return std::abs(amount) / std::sqrt(3.0);
}

/// The factor by which the variance of a sum of the values exceeds that of independent values: (1 +
/// r) / (1 - r) with the first-order autocorrelation r. 1 if there are too few values to estimate
/// r.
double dependence_of(const std::vector<double>& values) {
  const double r = values.size() < fewest_for_mser
                       ? 0
                       : std::clamp(autocorrelation(values, 1), 0.0, most_autocorrelation);
  return (1 + r) / (1 - r);
}

/// Sets the noise of `blocks`. `residuals` are the distances of their rates from steady.rate (or
/// from any constant).
void set_noise(const std::vector<Step>& blocks, const std::vector<double>& residuals,
               Steady& steady) {
  steady.blocks = static_cast<double>(blocks.size());
  steady.block_work = sum_of(blocks).work / steady.blocks;
  const double usual = usual_deviation * steady.rate;
  if (usual > 0) {
    steady.deviations = deviations_from(moments_of(residuals).squares,
                                        static_cast<double>(residuals.size()) - 1, usual);
  }
  for (auto& deviation : steady.deviations) {
    deviation.value *= std::sqrt(dependence_of(residuals));
  }
}

/// The steady state of a single step: its warm-up part cannot be determined.
Steady of_one(const Step& step) {
  Steady steady{.rate = step.rate(), .steps = 1, .classification = "flat"};
  set_noise({step}, {step.rate()}, steady);
  steady.bias_below = first_too_long * steady.rate;
  steady.bias_above = first_too_short * steady.rate;
  steady.reasons = {"a single step: its share of warm-up is not known"};
  return steady;
}

/// The rate after two steps: that of the second. If both are equal as far as machines differ, their
/// difference may be that of a linear trend (prior_constants.hpp), which goes on for a step.
/// Neither of the two directions is preferred, so that noise does not bias the rate.
double rate_after_two(double first, double second) {
  const bool differ = std::abs(second - first) > machine_tolerance * std::min(first, second);
  return second + (differ ? 0 : linear_prior * (second - first));
}

/// The steady state of the later half of `regular`, the steps that follow `first`, without a stall.
Steady of_few(const Step& first, const std::vector<Step>& regular) {
  const auto window = steps_after(regular, regular.size() / 2);
  const std::vector<Step> earlier(regular.begin(), regular.end() - std::ssize(window));
  Steady steady{.rate = sum_of(window).rate(), .steps = window.size()};
  if (regular.size() == 1) {
    steady.rate = rate_after_two(first.rate(), steady.rate);
  }
  set_noise(window, rates_of(regular), steady);
  if (regular.size() == 1 && steady.rate > 0) {
    steady.deviations = deviations_of_two(first.rate() - steady.rate, usual_deviation * steady.rate,
                                          first_excess * steady.rate);
  }
  if (!earlier.empty()) {
    const double before = sum_of(earlier).rate();
    auto& bias = before > steady.rate ? steady.bias_below : steady.bias_above;
    bias = as_much_again(std::min(std::abs(before - steady.rate), steady.rate));
  }
  std::vector<Step> steps{first};
  steps.insert(steps.end(), regular.begin(), regular.end());
  consider_levels(steps, steady);
  consider_decay(steps, steady);
  consider_trends(regular, steady);
  return steady;
}

/// Sets a rate that rises or falls steadily: the rate at the end, on the Theil-Sen line.
void set_drift(const std::vector<Step>& window, Steady& steady) {
  const auto rates = rates_of(window);
  const double slope = theil_sen_slope(rates);
  std::vector<double> residuals;
  for (const double rate : rates) {
    residuals.push_back(rate - slope * static_cast<double>(residuals.size()));
  }
  const auto count = static_cast<double>(rates.size());
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  steady.rate = std::clamp(median_of(residuals) + slope * (count - 0.5), *least, *most);
  set_noise(window, residuals, steady);
  const double drift = std::clamp(slope * count, -steady.rate / 2, steady.rate / 2);
  steady.drift_work = steady.block_work * count;
  steady.rate_change = drift / steady.drift_work;
  steady.classification = "drifting";
  steady.reasons.push_back(fmt::format(
      "steps grew {} by {:.1f} % over what was measured: assumed to continue for as long again",
      slope > 0 ? "longer" : "shorter", 100 * std::abs(drift) / steady.rate));
}

/// The least sum of squared distances from two levels, one after the other.
double squares_of_two_levels(const std::vector<double>& values) {
  double least = std::numeric_limits<double>::infinity();
  for (auto middle = values.begin() + 1; middle != values.end(); ++middle) {
    least = std::min(least, moments_of({values.begin(), middle}).squares +
                                moments_of({middle, values.end()}).squares);
  }
  return least;
}

/// Whether all values rise, and rather along a line than by a jump.
bool is_rise(const std::vector<double>& values) {
  const double slope = drifts(values) ? theil_sen_slope(values) : 0;
  if (slope <= 0) {
    return false;
  }
  std::vector<double> residuals;
  for (const double value : values) {
    residuals.push_back(value - slope * static_cast<double>(residuals.size()));
  }
  return moments_of(residuals).squares < squares_of_two_levels(values);
}

/// Sets the mean of a constant rate, over whole periods if there are any.
void set_mean(std::vector<Step> window, Steady& steady) {
  if (const auto period = period_of(rates_of(window)); period > 0) {
    steady.reasons.push_back(fmt::format(
        "the times repeat themselves every {:.6g} units of work (a unit: a sample where "
        "the record counts them, else a step or an epoch)",
        static_cast<double>(period) * window.back().work));
    steady.classification = "periodic";
    window = merged(window, period);
  }
  steady.rate = sum_of(window).rate();
  set_noise(window, rates_of(window), steady);
}

std::variant<Steady, Refusal> of_many(const std::vector<Step>& regular) {
  const auto size = regular.size() < fewest_for_blocks
                        ? 1
                        : std::max(smallest_block, regular.size() / most_blocks);
  const auto blocks = merged(regular, size);
  if (is_rise(rates_of(blocks))) {
    Steady steady;  // MSER would take the first half of a rise for a warm-up
    set_drift(blocks, steady);
    consider_trends(regular, steady);
    steady.steps = blocks.size() * size;
    return steady;
  }
  const auto level = last_level(steps_after(blocks, mser_cut(rates_of(blocks))));
  if (const auto* refusal = std::get_if<Refusal>(&level)) {
    return *refusal;
  }
  const auto& window = std::get<std::vector<Step>>(level);
  Steady steady;
  if (drifts(rates_of(window))) {
    set_drift(window, steady);
  } else {
    set_mean(window, steady);
  }
  consider_trends(regular, steady);
  steady.steps = window.size() * size;
  return steady;
}

std::string stall_reason(const std::vector<Step>& steps, const Stall& stall, double rate) {
  const auto took = sum_of({steps.begin() + static_cast<std::ptrdiff_t>(stall.begin),
                            steps.begin() + static_cast<std::ptrdiff_t>(stall.end)});
  const auto which = stall.end == stall.begin + 1
                         ? fmt::format("step {}", stall.end)
                         : fmt::format("steps {} and {}", stall.begin + 1, stall.end);
  return fmt::format("{} took {:.3g} s where {:.3g} s are typical: counted once", which,
                     took.seconds, rate * took.work);
}

}  // namespace

std::variant<Steady, Refusal> steady_state(const std::vector<Step>& steps) {
  if (steps.size() == 1) {
    return of_one(steps.front());
  }
  const auto stall = stall_among(steps, 1);
  auto regular = steps_after(steps, 1);
  Step stalled;
  if (stall) {
    const auto from = regular.begin() + static_cast<std::ptrdiff_t>(stall->begin - 1);
    const auto to = regular.begin() + static_cast<std::ptrdiff_t>(stall->end - 1);
    stalled = sum_of({from, to});
    regular.erase(from, to);
  }
  auto found = regular.size() < fewest_for_mser ? of_few(steps.front(), regular) : of_many(regular);
  if (auto* steady = std::get_if<Steady>(&found)) {
    if (stall && stall->begin > 1) {  // the one after the first is still warm-up
      consider_stall(stalled, stall->end == steps.size(), regular, *steady);
      steady->reasons.push_back(stall_reason(steps, *stall, steady->rate));
    }
    if (steady->classification.empty()) {
      const bool slower = steps.front().rate() > (1 + 3 * usual_deviation) * steady->rate;
      steady->classification = slower ? "warm-up" : "flat";
    }
  }
  return found;
}

}  // namespace epochcast::forecast
