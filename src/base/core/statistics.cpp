#include "src/base/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "src/base/core/lists.hpp"

namespace epochcast {

std::optional<Summary> summarize(std::vector<double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return Summary{.n = n,
                 .median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2,
                 .spread = values.back() - values.front()};
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) {
    return std::nullopt;
  }
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sum_of_squares(const std::vector<double>& values) {
  return summed(values, [](const double value) { return value * value; });
}

double quantile(std::vector<double> values, double probability) {
  if (values.empty()) {
    throw std::logic_error("quantile of nothing");
  }
  const double rank = probability * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());  // sorting was a fifth of a report's time
  const double above = at + 1 == values.end() ? *at : *std::min_element(at + 1, values.end());
  return *at + (rank - static_cast<double>(below)) * (above - *at);
}

std::optional<Scatter> pooled_scatter(const std::vector<std::vector<double>>& measurements) {
  double squares = 0;
  double freedom = 0;
  for (const auto& repeats : measurements) {
    const auto logs = mapped(repeats, [](const double value) { return std::log(value); });
    if (const auto centre = mean(logs)) {
      for (const double value : logs) {
        squares += std::pow(value - *centre, 2);
      }
      freedom += static_cast<double>(logs.size() - 1);
    }
  }
  if (freedom == 0) {
    return std::nullopt;
  }
  return Scatter{std::sqrt(squares / freedom), freedom};
}

double median_gain(std::size_t n) {
  const double mean_gain = std::sqrt(static_cast<double>(n));
  return n < 3 ? mean_gain : mean_gain / std::sqrt(std::numbers::pi / 2);
}

double median_of(std::vector<double> values) {
  if (values.empty()) {
    throw std::logic_error("median of nothing");
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace epochcast
