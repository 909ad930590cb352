#include "src/forecast/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/core/median.hpp"
#include "src/forecast/levels.hpp"
#include "src/forecast/prior_constants.hpp"
#include "src/forecast/regression.hpp"
#include "src/forecast/warm_up.hpp"

namespace epochcast::forecast {
namespace {

// Until a run shows its own scatter, the typical scatter counts like three more steps.
constexpr double usual_freedom = 3;
// From public training logs of MLPerf: N times the first epoch is too
// high by 29 % (p90) and 75 % (p95), so the total is lower by 22 and 43 %. That is about 1.28 and
// 1.96 times first_too_long, as for the 80 and 95 % intervals of a normal distribution. N times the
// first epoch is too low by 4 % for the one benchmark whose first epoch is the shortest: 1.28 times
// first_too_short.
constexpr double first_too_long = 0.20;
constexpr double first_too_short = 0.03;

constexpr std::size_t fewest_for_mser = 10;
constexpr std::size_t fewest_for_blocks = 50;
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
  constexpr double most = 0.9;
  const double r =
      values.size() < fewest_for_mser ? 0 : std::clamp(autocorrelation(values, 1), 0.0, most);
  return (1 + r) / (1 - r);
}

/// Sets the scatter of `blocks`. `residuals` are the distances of their rates from steady.rate (or
/// from any constant).
void take_scatter(const std::vector<Step>& blocks, const std::vector<double>& residuals,
                  Steady& steady) {
  const double usual = usual_deviation * steady.rate;
  steady.freedom = usual_freedom + static_cast<double>(residuals.size()) - 1;
  const double variance =
      (usual_freedom * usual * usual + moments_of(residuals).squares) / steady.freedom;
  steady.blocks = static_cast<double>(blocks.size());
  steady.block_work = sum_of(blocks).work / steady.blocks;
  steady.block_deviation = std::sqrt(variance * dependence_of(residuals));
}

/// The steady state of a single step: its warm-up part cannot be determined.
Steady of_one(const Step& step) {
  Steady steady{.rate = step.rate(), .steps = 1, .classification = "flat"};
  take_scatter({step}, {step.rate()}, steady);
  steady.doubt_below = first_too_long * steady.rate;
  steady.doubt_above = first_too_short * steady.rate;
  steady.reasons = {"a single step: its share of warm-up is not known"};
  return steady;
}

/// The steady state of the later half of `regular`, the steps that follow `first`, without a stall.
Steady of_few(const Step& first, const std::vector<Step>& regular) {
  const auto window = steps_after(regular, regular.size() / 2);
  const std::vector<Step> earlier(regular.begin(), regular.end() - std::ssize(window));
  Steady steady{.rate = sum_of(window).rate(), .steps = window.size()};
  take_scatter(window, rates_of(regular), steady);
  const double before = earlier.empty() ? first.rate() : sum_of(earlier).rate();
  auto& doubt = before > steady.rate ? steady.doubt_below : steady.doubt_above;
  doubt = as_much_again(std::min(std::abs(before - steady.rate), steady.rate));
  return steady;
}

/// Sets a rate that rises or falls steadily: the rate at the end, on the Theil-Sen line.
void take_drift(const std::vector<Step>& window, Steady& steady) {
  const auto rates = rates_of(window);
  const double slope = theil_sen_slope(rates);
  std::vector<double> residuals;
  for (const double rate : rates) {
    residuals.push_back(rate - slope * static_cast<double>(residuals.size()));
  }
  const auto count = static_cast<double>(rates.size());
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  steady.rate = std::clamp(median_of(residuals) + slope * (count - 0.5), *least, *most);
  take_scatter(window, residuals, steady);
  const double drift = std::clamp(slope * count, -steady.rate / 2, steady.rate / 2);
  steady.drift_work = steady.block_work * count;
  steady.rate_change = drift / steady.drift_work;
  steady.classification = "drifting";
  steady.reasons.push_back(fmt::format(
      "steps grew {} by {:.1f} % over what was measured: assumed to continue for as long again",
      slope > 0 ? "longer" : "shorter", 100 * std::abs(drift) / steady.rate));
}

/// Sets the mean of a constant rate, over whole periods if there are any.
void take_mean(std::vector<Step> window, Steady& steady) {
  if (const auto period = period_of(rates_of(window)); period > 0) {
    steady.reasons.push_back(fmt::format("repeats itself every {:.6g} units of work",
                                         static_cast<double>(period) * window.back().work));
    steady.classification = "periodic";
    window = merged(window, period);
  }
  steady.rate = sum_of(window).rate();
  take_scatter(window, rates_of(window), steady);
}

std::variant<Steady, Refusal> of_many(const std::vector<Step>& regular) {
  const auto size = regular.size() < fewest_for_blocks
                        ? 1
                        : std::max(smallest_block, regular.size() / most_blocks);
  const auto blocks = merged(regular, size);
  const auto level = last_level(steps_after(blocks, mser_cut(rates_of(blocks))));
  if (const auto* refusal = std::get_if<Refusal>(&level)) {
    return *refusal;
  }
  const auto& window = std::get<std::vector<Step>>(level);
  Steady steady;
  if (drifts(rates_of(window))) {
    take_drift(window, steady);
  } else {
    take_mean(window, steady);
  }
  steady.steps = window.size() * size;
  return steady;
}

/// A stall may recur, about once in as much work as was measured without it.
void doubt_a_stall(const Step& stall, std::size_t index, const std::vector<Step>& regular,
                   Steady& steady) {
  const double excess_s = stall.seconds - steady.rate * stall.work;
  auto& doubt = excess_s > 0 ? steady.doubt_above : steady.doubt_below;
  doubt = std::hypot(doubt, as_much_again(excess_s / sum_of(regular).work));
  steady.reasons.push_back(
      fmt::format("step {} took {:.3g} s where {:.3g} s are typical: counted once", index + 1,
                  stall.seconds, steady.rate * stall.work));
}

}  // namespace

std::variant<Steady, Refusal> steady_state(const std::vector<Step>& steps) {
  if (steps.size() == 1) {
    return of_one(steps.front());
  }
  const std::size_t first = steps.size() == 2 ? 0 : 1;
  const auto stall = stall_among(steps, first);
  auto regular = steps_after(steps, 1);
  if (stall && *stall > 0) {
    regular.erase(regular.begin() + static_cast<std::ptrdiff_t>(*stall - 1));
  }
  if (regular.empty()) {
    regular = {steps.front()};  // of two steps the second stalled
  }
  auto found = regular.size() < fewest_for_mser ? of_few(steps.front(), regular) : of_many(regular);
  if (auto* steady = std::get_if<Steady>(&found)) {
    if (stall && *stall > first) {  // the one after the first is still warm-up
      doubt_a_stall(steps[*stall], *stall, regular, *steady);
    }
    if (steady->classification.empty()) {
      const bool slower = steps.front().rate() > (1 + 3 * usual_deviation) * steady->rate;
      steady->classification = slower ? "warm-up" : "flat";
    }
  }
  return found;
}

}  // namespace epochcast::forecast
