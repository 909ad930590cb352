#include "src/forecast/scaling/surface_reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace epochcast::forecast {
namespace {

using Values = std::set<double>;

Values values_of(const std::vector<StepSetting>& settings, const Dimension& dimension) {
  Values values;
  for (const auto& setting : settings) {
    values.insert(setting.*dimension.value);
  }
  return values;
}

/// How many times beyond the values, at least 1: from the largest up, or from the smallest down.
double times_beyond(const Values& values, double asked) {
  return std::max({1.0, asked / *values.rbegin(), *values.begin() / asked});
}

/// A value between the nearest measured one and `asked`, rounded to a whole number where that
/// leaves it between them.
double halfway(const Values& values, double asked) {
  const double nearest = asked > *values.rbegin() ? *values.rbegin() : *values.begin();
  const double middle = std::round(std::sqrt(nearest * asked));
  return middle == nearest ? asked : middle;
}

double dot(const Doublings& a, const Doublings& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// `point` without its part along `directions`, which are of length 1 and at right angles.
Doublings without(Doublings point, const std::vector<Doublings>& directions) {
  for (const auto& direction : directions) {
    const double along = dot(point, direction);
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] -= along * direction[i];
    }
  }
  return point;
}

Doublings between(const StepSetting& from, const StepSetting& to) {
  auto doublings = doublings_of(to);
  const auto start = doublings_of(from);
  std::ranges::transform(doublings, start, doublings.begin(), std::minus());
  return doublings;
}

/// Logarithms of whole numbers differ by more, where they differ at all.
constexpr double no_difference = 1e-9;

/// The directions in which the settings differ (Gram-Schmidt).
std::vector<Doublings> directions_of(const std::vector<StepSetting>& settings) {
  std::vector<Doublings> directions;
  for (const auto& setting : settings) {
    auto rest = without(between(settings.front(), setting), directions);
    if (const double length = std::sqrt(dot(rest, rest)); length > no_difference) {
      for (auto& value : rest) {
        value /= length;
      }
      directions.push_back(rest);
    }
  }
  return directions;
}

std::optional<std::string> changed_together(const std::vector<StepSetting>& settings,
                                            const StepSetting& asked) {
  const auto rest = without(between(settings.front(), asked), directions_of(settings));
  std::string names;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (std::abs(rest[i]) > no_difference) {
      names += fmt::format("{}{}", names.empty() ? "" : " and ", dimensions[i].name);
    }
  }
  return names.empty() ? std::nullopt
                       : std::optional(fmt::format(
                             "{0} always changed together in the runs, so the effect of one of "
                             "them is not known; a run that changes one of them alone would allow "
                             "this forecast",
                             names));
}

}  // namespace

std::optional<std::string> out_of_reach(const std::vector<StepSetting>& settings,
                                        const StepSetting& asked) {
  for (const auto& dimension : dimensions) {
    const auto values = values_of(settings, dimension);
    const double value = asked.*dimension.value;
    const double beyond = times_beyond(values, value);
    if (values.size() == 1 && beyond > 1) {
      return fmt::format(
          "all runs have the same {0}, {1:g}, so its effect is not known; a run with {2:g} would "
          "allow this forecast",
          dimension.name, *values.begin(), halfway(values, value));
    }
    if (values.size() == 2 && beyond > 2) {
      return fmt::format(
          "a {0} of {1:g} is more than twice beyond the two that were run, {2:g} and {3:g}; a run "
          "with {4:g} would allow this forecast",
          dimension.name, value, *values.begin(), *values.rbegin(), halfway(values, value));
    }
  }
  return changed_together(settings, asked);
}

double doublings_beyond(const std::vector<StepSetting>& settings, const StepSetting& asked) {
  double sum = 0;
  for (const auto& dimension : dimensions) {
    sum += std::log2(times_beyond(values_of(settings, dimension), asked.*dimension.value));
  }
  return sum;
}

std::vector<std::string> warnings_beyond(const std::vector<StepSetting>& settings,
                                         const StepSetting& asked) {
  std::vector<std::string> warnings;
  for (const auto& dimension : dimensions) {
    const auto values = values_of(settings, dimension);
    if (times_beyond(values, asked.*dimension.value) > 2) {
      warnings.push_back(
          fmt::format("a {} of {:g} is more than twice beyond the runs, which had {:g} to {:g}",
                      dimension.name, asked.*dimension.value, *values.begin(), *values.rbegin()));
    }
  }
  return warnings;
}

std::string helpful_run(const std::vector<StepSetting>& settings, const StepSetting& asked) {
  const Dimension* furthest = nullptr;
  double most = 1;
  for (const auto& dimension : dimensions) {
    const double beyond = times_beyond(values_of(settings, dimension), asked.*dimension.value);
    if (beyond > most) {
      most = beyond;
      furthest = &dimension;
    }
  }
  if (furthest == nullptr) {
    return "more runs around this setting would help";
  }
  return fmt::format("a run with a {} of {:g} would help", furthest->name,
                     halfway(values_of(settings, *furthest), asked.*furthest->value));
}

}  // namespace epochcast::forecast
