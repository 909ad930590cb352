#include "src/forecast/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/core/median.hpp"
#include "src/forecast/levels.hpp"
#include "src/forecast/prior_constants.hpp"
#include "src/forecast/regression.hpp"
#include "src/forecast/wander.hpp"
#include "src/forecast/warm_up.hpp"

namespace epochcast::forecast {
namespace {

// From public training logs of MLPerf: N times the first epoch is too
// high by 29 % (p90) and 75 % (p95), so the total is lower by 22 and 43 %. That is about 1.28 and
// 1.96 times first_too_long, as for the 80 and 95 % intervals of a normal distribution. N times the
// first epoch is too low by 4 % for the one benchmark whose first epoch is the shortest: 1.28 times
// first_too_short.
constexpr double first_too_long = 0.20;
constexpr double first_too_short = 0.03;

// A 95 % interval leaves out 2.5 % on each side, so one that has a possibility of this probability
// reaches about as far as it, and an 80 % interval does not.
constexpr double possible = 0.05;
// What was seen to go one way may stop, or go on.
constexpr double goes_on = 0.5;
// Until three steps agree, any level seen may be that of the rest.
constexpr std::size_t enough_to_agree = 3;
constexpr std::size_t fewest_to_wander = 3;  // two values show no difference to scatter
constexpr std::size_t few_steps = 4;         // with more, their scatter tells how far levels reach

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
  take_scatter({step}, {step.rate()}, steady);
  steady.doubt_below = first_too_long * steady.rate;
  steady.doubt_above = first_too_short * steady.rate;
  steady.reasons = {"a single step: its share of warm-up is not known"};
  return steady;
}

/// The number of steps at the end that go at `rate`.
std::size_t agreeing_at_end(const std::vector<Step>& steps, double rate) {
  const auto differs = [&](const Step& step) {
    return std::abs(step.rate() - rate) > alike * rate;
  };
  return static_cast<std::size_t>(std::find_if(steps.rbegin(), steps.rend(), differs) -
                                  steps.rbegin());
}

/// Until three of a few steps agree, the rest may go like any other of them, by Laplace's rule of
/// succession: of r steps at this level, the next one leaves it with the probability 1 / (r + 2).
/// The first step is seldom typical if it was slower, since all warm-up is in it.
void consider_levels(const std::vector<Step>& steps, Steady& steady) {
  const auto agree = agreeing_at_end(steps, steady.rate);
  if (steps.size() > few_steps || agree >= enough_to_agree || agree == steps.size()) {
    return;
  }
  const std::vector<Step> before(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(agree));
  const bool slow_first = before.front().rate() > steady.rate;
  const auto levels = before.size() - (slow_first ? 1 : 0);
  const double each =
      1 / (static_cast<double>(agree) + 2) / std::max<double>(1, static_cast<double>(levels));
  for (std::size_t i = 0; i < before.size(); ++i) {
    steady.others.push_back({.rate = before[i].rate(),
                             .deviation = usual_deviation * before[i].rate(),
                             .probability = i == 0 && slow_first ? possible : each});
  }
}

/// The rest may be faster by anything from nothing to `most`.
void add_fall(double most, double probability, Steady& steady) {
  steady.others.push_back({.rate = steady.rate - most / 2,
                           .deviation = most / std::sqrt(12.0),
                           .probability = probability});
}

/// A decay goes on below the last rate. After two steps, the second may have a part of the warm-up
/// too: seldom as much as a first step (first_too_long), else no more than it fell.
/// After three, a geometric decay has a limit (Aitken 1926). One that does not slow down, or like
/// the logarithm of time, may fall twice as far as it fell in the last two steps.
void consider_decay(const std::vector<Step>& steps, Steady& steady) {
  const auto n = steps.size();
  const double fell = steps[n - 2].rate() - steps[n - 1].rate();
  if (fell <= 0) {
    return;
  }
  if (n == 2) {
    const bool warm_up = fell > alike * steady.rate;
    const double as_first = first_too_long * steady.rate;
    add_fall(std::min(fell, as_first), warm_up ? goes_on : 2 * possible, steady);
    if (warm_up) {
      add_fall(as_first, possible, steady);
    }
    return;
  }
  const double before = steps[n - 3].rate() - steps[n - 2].rate();
  if (before > 0) {
    const double most = std::min(2 * (before + fell), steady.rate / 2);
    const double left = fell < before ? std::min(most, fell * fell / (before - fell)) : most;
    steady.doubt_below = std::max(steady.doubt_below, left / normal_reach(0.95));
  }
}

/// Whether later values are larger than earlier ones more often than 5 % of independent values
/// would have it (Mann and Kendall).
bool rises(const std::vector<double>& values) {
  double score = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      score += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
    }
  }
  const auto n = static_cast<double>(values.size());
  return score > 1.645 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
}

/// Steps that grew longer may stop to do so at once, after as long again, or at the end.
void consider_growth(const std::vector<Step>& steps, const std::vector<Step>& regular,
                     Steady& steady) {
  if (steps.size() < few_steps || !rises(rates_of(steps))) {
    return;
  }
  const double change = std::max(0.0, theil_sen_slope(rates_of(regular)) / steady.block_work);
  const double again = change * static_cast<double>(regular.size()) * steady.block_work;
  const double end = steady.rate + change * steady.block_work * steady.blocks / 2;
  steady.others.push_back({.rate = end, .rate_change = change, .probability = goes_on / 3});
  steady.others.push_back(
      {.rate = end + again, .deviation = again / std::sqrt(12.0), .probability = goes_on / 3});
}

/// The level may wander: on to the end, or by no more than it did while it was seen. This is asked
/// of a few long blocks, in which noise that depends on the noise before averages out, and a walk
/// does not. Steps that grew longer may as well do so for good (consider_growth).
void consider_wander(const std::vector<Step>& steps, Steady& steady) {
  constexpr std::size_t most = 12;
  const double usual = usual_deviation * steady.rate;
  if (usual <= 0 || steps.size() < fewest_to_wander) {
    return;
  }
  const auto blocks = merged(steps, (steps.size() + most - 1) / most);
  const auto wander = wander_of(rates_of(blocks), usual);
  const auto seen = static_cast<double>(blocks.size());
  const double rate = blocks.back().rate();
  const double probability = wander.probability * (rises(rates_of(blocks)) ? goes_on : 1);
  steady.others.push_back({.rate = rate,
                           .wander = wander.change / std::sqrt(blocks.back().work),
                           .probability = goes_on * probability});
  steady.others.push_back({.rate = rate,
                           .deviation = wander.change * std::sqrt(seen / 3),
                           .probability = (1 - goes_on) * probability});
}

/// The steady state of the later half of `regular`, the steps that follow `first`, without a stall.
Steady of_few(const Step& first, const std::vector<Step>& regular) {
  const auto window = steps_after(regular, regular.size() / 2);
  const std::vector<Step> earlier(regular.begin(), regular.end() - std::ssize(window));
  Steady steady{.rate = sum_of(window).rate(), .steps = window.size()};
  take_scatter(window, rates_of(regular), steady);
  if (!earlier.empty()) {
    const double before = sum_of(earlier).rate();
    auto& doubt = before > steady.rate ? steady.doubt_below : steady.doubt_above;
    doubt = as_much_again(std::min(std::abs(before - steady.rate), steady.rate));
  }
  std::vector<Step> steps{first};
  steps.insert(steps.end(), regular.begin(), regular.end());
  consider_levels(steps, steady);
  consider_decay(steps, steady);
  consider_growth(steps, regular, steady);
  consider_wander(regular, steady);
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
  if (slope > 0) {
    steady.others.push_back(
        {.rate = steady.rate, .rate_change = steady.rate_change, .probability = 2 * possible});
  }
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
void take_mean(std::vector<Step> window, Steady& steady) {
  if (const auto period = period_of(rates_of(window)); period > 0) {
    steady.reasons.push_back(fmt::format("repeats itself every {:.6g} units of work",
                                         static_cast<double>(period) * window.back().work));
    steady.classification = "periodic";
    window = merged(window, period);
  }
  steady.rate = sum_of(window).rate();
  take_scatter(window, rates_of(window), steady);
  consider_wander(window, steady);
}

std::variant<Steady, Refusal> of_many(const std::vector<Step>& regular) {
  const auto size = regular.size() < fewest_for_blocks
                        ? 1
                        : std::max(smallest_block, regular.size() / most_blocks);
  const auto blocks = merged(regular, size);
  if (is_rise(rates_of(blocks))) {
    Steady steady;  // MSER would take the first half of a rise for a warm-up
    take_drift(blocks, steady);
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
    take_drift(window, steady);
  } else {
    take_mean(window, steady);
  }
  steady.steps = window.size() * size;
  return steady;
}

/// Steps that stalled may be the only ones, or recur: both are equally likely. If they recur, one
/// stall in the work measured leaves its frequency open, by an exponential distribution, here in
/// four equal parts. A stall at the end may also be the start of a new level.
void consider_stall(const Step& stall, bool is_last, const std::vector<Step>& regular,
                    Steady& steady) {
  constexpr double recurs = 0.5;
  const double new_level = is_last ? 1.0 / 3 : 0;
  const double excess_s = stall.seconds - steady.rate * stall.work;
  const double work = sum_of(regular).work;
  for (const double quartile : {0.125, 0.375, 0.625, 0.875}) {
    const double rate = steady.rate - std::log1p(-quartile) * excess_s / work;
    steady.others.push_back({.rate = std::max(rate, std::min(steady.rate, stall.rate())),
                             .probability = (1 - new_level) * recurs / 4});
  }
  if (is_last) {
    steady.others.push_back({.rate = stall.rate(),
                             .deviation = usual_deviation * stall.rate(),
                             .probability = new_level});
  }
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

/// The second of two steps was slower than machines differ: contention only adds time, so the first
/// is taken for typical. Either may be.
Steady of_slower_second(const std::vector<Step>& steps) {
  auto steady = of_few(steps[1], {steps[0]});
  steady.others.push_back({.rate = steps[1].rate(),
                           .deviation = usual_deviation * steps[1].rate(),
                           .probability = 1.0 / 3});
  steady.classification = "flat";
  steady.reasons.push_back(stall_reason(steps, {1, 2}, steady.rate));
  return steady;
}

}  // namespace

std::variant<Steady, Refusal> steady_state(const std::vector<Step>& steps) {
  if (steps.size() == 1) {
    return of_one(steps.front());
  }
  if (steps.size() == 2 && stall_among(steps, 0)) {
    return of_slower_second(steps);
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
