#include "src/forecast/run/hypotheses.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/regression.hpp"
#include "src/forecast/run/trend_models.hpp"

namespace epochcast::forecast {
namespace {

/// The number of steps at the end that go at `rate`.
std::size_t agreeing_at_end(const std::vector<Step>& steps, double rate) {
  const auto differs = [&](const Step& step) {
    return std::abs(step.rate() - rate) > epoch_tolerance * rate;
  };
  return static_cast<std::size_t>(std::find_if(steps.rbegin(), steps.rend(), differs) -
                                  steps.rbegin());
}

/// The rest may be faster by anything from nothing to `most`.
void add_fall(double most, double probability, Steady& steady) {
  steady.alternatives.push_back({.rate = steady.rate - most / 2,
                                 .deviation = most / std::sqrt(12.0),
                                 .probability = probability});
}

/// A geometric decay to a limit, of which one fall was seen. The share that is left after each step
/// is anything from 0 to 1.
void add_decays(double fell, double probability, Steady& steady) {
  constexpr int parts = 8;
  for (int i = 0; i < parts; ++i) {
    const double left = (i + 0.5) / parts;
    const double more = std::min(fell * left / (1 - left), steady.rate / 2);
    steady.alternatives.push_back({.rate = steady.rate - more,
                                   .deviation = more / parts,
                                   .probability = probability / parts});
  }
}

void add_ar1(const TrendModels& models, const Step& last, Steady& steady) {
  for (const auto& error : models.ar1_fits) {
    // In the long run as in steps: the sum of all later errors, for the error now, and the variance
    // of the mean of many.
    const double reversion = -std::log(error.share) / last.work;
    const double later = error.share / (1 - error.share) * reversion * last.work;
    steady.alternatives.push_back(
        {.rate = error.level,
         .deviation = error.level_deviation,
         .diffusion = error.change / (1 - error.share) * reversion * std::sqrt(last.work),
         .reversion = reversion,
         .initial_error = later * (last.rate() - error.level),
         .probability = models.ar1 * error.probability});
  }
}

void add_linear_trends(const TrendModels& models, const Step& last, double seen, Steady& steady) {
  for (const auto& line : models.linear_fits) {
    const double probability = models.linear * line.probability;
    const double each = (1 - goes_on) / 3 * probability;
    RateHypothesis other{.rate = line.level,
                         .rate_change = line.slope / last.work,
                         .deviation = line.level_deviation,
                         .change_deviation = line.slope_deviation / last.work,
                         .since = seen * last.work / 2,
                         .probability = goes_on * probability};
    steady.alternatives.push_back(other);
    other.change_stops = true;
    other.probability = each;
    steady.alternatives.push_back(other);
    const auto at_once = [&](double steps, double spread) {
      steady.alternatives.push_back(
          {.rate = line.level + line.slope * steps,
           .deviation =
               std::hypot(line.level_deviation, line.slope_deviation * steps, line.slope * spread),
           .probability = each});
    };
    const double to_last = (seen - 1) / 2;
    at_once(to_last, 0);
    at_once(to_last + seen, seen / std::sqrt(12.0));
  }
}

}  // namespace

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
  // Where one of two steps is all that is known of a level, steps may vary as far as both
  // differ.
  const bool may_be_noise = steps.size() == 2 && !slow_first;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double rate = before[i].rate();
    const double deviation = may_be_noise ? std::abs(steady.rate - rate) / 2 : 0;
    steady.alternatives.push_back({.rate = rate,
                                   .deviation = std::max(usual_deviation * rate, deviation),
                                   .probability = i == 0 && slow_first ? seldom : each});
  }
}

void consider_decay(const std::vector<Step>& steps, Steady& steady) {
  const auto n = steps.size();
  const double fell = steps[n - 2].rate() - steps[n - 1].rate();
  if (fell <= 0) {
    return;
  }
  if (n == 2) {
    const bool warm_up = fell > epoch_tolerance * steady.rate;
    const double as_first = first_too_long * steady.rate;
    add_fall(std::min(fell, as_first), warm_up ? goes_on : 2 * seldom, steady);
    if (warm_up) {
      add_decays(fell, 2 * seldom, steady);
    }
    return;
  }
  const double before = steps[n - 3].rate() - steps[n - 2].rate();
  if (before > 0) {
    const double most = std::min(2 * (before + fell), steady.rate / 2);
    const double left = fell < before ? std::min(most, fell * fell / (before - fell)) : most;
    steady.bias_below = std::max(steady.bias_below, left / normal_half_width(0.95));
  }
}

void consider_trends(const std::vector<Step>& steps, Steady& steady) {
  constexpr std::size_t most = 96;
  const double usual = usual_deviation * steady.rate;
  if (usual <= 0) {
    return;
  }
  const auto blocks = merged(steps, (steps.size() + most - 1) / most);
  const auto models = fit_trend_models(rates_of(blocks), usual);
  const auto seen = static_cast<double>(blocks.size());
  steady.constant = models.constant;
  add_ar1(models, blocks.back(), steady);
  if (blocks.size() > 2) {
    add_linear_trends(models, blocks.back(), seen, steady);
  }
}

void consider_stall(const Step& stall, bool is_last, const std::vector<Step>& regular,
                    Steady& steady) {
  const double new_level = is_last ? new_level_after_stall : 0;
  const double excess_s = stall.seconds - steady.rate * stall.work;
  const double work = sum_of(regular).work;
  for (const double quartile : {0.125, 0.375, 0.625, 0.875}) {
    const double rate = steady.rate - std::log1p(-quartile) * excess_s / work;
    steady.alternatives.push_back({.rate = std::max(rate, std::min(steady.rate, stall.rate())),
                                   .probability = (1 - new_level) * recurs / 4});
  }
  if (is_last) {
    steady.alternatives.push_back({.rate = stall.rate(),
                                   .deviation = usual_deviation * stall.rate(),
                                   .probability = new_level});
  }
}

}  // namespace epochcast::forecast
