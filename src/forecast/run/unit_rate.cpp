#include "src/forecast/run/unit_rate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/statistics/moments.hpp"

namespace epochcast::forecast {
namespace {

/// The units of the later half of those after the first; the only unit.
std::size_t later_half(std::size_t count) {
  return count == 1 ? 1 : count / 2;
}

/// The position of the one of three to five units that stalled. Of three, it is the last: slower
/// than both others by more than machines differ, which are alike. Of four and five, it is slower
/// than all others after the first, by more than machines differ and by twice their range.
std::optional<std::size_t> odd_one(const std::vector<double>& rates) {
  if (rates.size() < 3 || rates.size() > 5) {
    return std::nullopt;
  }
  if (rates.size() == 3) {
    const auto [least, most] = std::minmax(rates[0], rates[1]);
    const double far = 1 + machine_tolerance;
    return most <= far * least && rates[2] > far * most ? std::optional<std::size_t>(2)
                                                        : std::nullopt;
  }
  const auto slowest = std::max_element(rates.begin() + 1, rates.end());
  std::vector<double> others(rates.begin() + 1, slowest);
  others.insert(others.end(), slowest + 1, rates.end());
  const auto [least, most] = std::ranges::minmax(others);
  const double far = std::max(machine_tolerance * median_of(others), 2 * (most - least));
  return *slowest - most > far ? std::optional(std::distance(rates.begin(), slowest))
                               : std::nullopt;
}

/// The mean rate of the last `used` units, without the odd one. Of four or five units, its middle
/// with the median of the last three: one of them may still be a stall or warm-up.
double rate_of_later(const std::vector<Step>& units, std::size_t used,
                     std::optional<std::size_t> odd) {
  auto even = units;
  if (odd) {
    even.erase(even.begin() + static_cast<std::ptrdiff_t>(*odd));
  }
  const double mean_rate = sum_of(steps_after(even, even.size() - used)).rate();
  if (units.size() < 4 || units.size() > 5) {
    return mean_rate;
  }
  return (mean_rate + median_of(rates_of(steps_after(units, units.size() - 3)))) / 2;
}

struct Noise {
  double squares = 0;
  double freedom = 0;
};

/// The noise that the units show, as a part of `rate`.
Noise noise_in(std::vector<double> rates, double rate, std::size_t used,
               std::optional<std::size_t> odd) {
  for (auto& value : rates) {
    value /= rate;
  }
  if (rates.size() == 2) {
    const double difference = std::clamp(rates[0] - 1, -1.0, warm_up_of_two);
    return {.squares = square(difference) / 2, .freedom = 1};
  }
  // Many units show their noise in their later half alone, where no warm-up is.
  const bool many = rates.size() >= fewest_blocks;
  const auto count = many ? used : rates.size() - 1;
  if (odd && rates.size() > 3) {
    rates.erase(rates.begin() + static_cast<std::ptrdiff_t>(*odd));
  }
  const auto from = many ? rates.end() - static_cast<std::ptrdiff_t>(used) : rates.begin() + 1;
  return {.squares = moments_of({from, rates.end()}).squares,
          .freedom = static_cast<double>(count) - 1};
}

}  // namespace

std::vector<Step> in_blocks(const std::vector<Step>& steps) {
  const auto size = std::max<std::size_t>(1, steps.size() / fewest_blocks);
  auto blocks = merged(steps, size);
  if (const auto over = steps.size() % size; over > 0) {
    const auto rest = sum_of({steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(over)});
    blocks.front() = sum_of({rest, blocks.front()});
  }
  return blocks;
}

UnitRate unit_rate(const std::vector<Step>& units, double work) {
  const auto rates = rates_of(units);
  UnitRate found{.used = later_half(units.size())};
  const auto odd = odd_one(rates);
  found.rate = rate_of_later(units, found.used, odd);
  if (units.size() == 1 || !(found.rate > 0)) {
    found.below = one_unit_below;
    found.above = one_unit_above;
    return found;
  }
  const auto noise = noise_in(rates, found.rate, found.used, odd);
  const double variance =
      (noise_freedom * square(usual_noise) + noise.squares) / (noise_freedom + noise.freedom);
  const auto used = static_cast<double>(found.used);
  const double unit_work = sum_of(steps_after(units, units.size() - found.used)).work / used;
  const double left = std::max(work / unit_work, 1e-9);
  const double first = rates.front() / found.rate - 1;
  const auto of_first = [&](double part, double difference) {
    return square(part * difference) / static_cast<double>(units.size() - 1);
  };
  const double errors =
      variance * (1 / used + 1 / left + 1) + of_first(faster_first, std::clamp(-first, 0.0, 1.0));
  found.above = std::sqrt(errors + of_first(far_slower_first, std::max(0.0, first - 1)));
  found.below = std::sqrt(errors + of_first(slower_first, std::clamp(first, 0.0, most_warm_up)));
  return found;
}

}  // namespace epochcast::forecast
