#include "src/forecast/trend.hpp"

#include <algorithm>
#include <cmath>

#include "src/core/median.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {
namespace {

bool has_direction(const std::vector<double>& values) {
  double score = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      score += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
    }
  }
  const auto n = static_cast<double>(values.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  constexpr double two_sided_1_percent = 2.576;
  return std::abs(score) - 1 > two_sided_1_percent * deviation;
}

bool leaves_its_mean(const std::vector<double>& values) {
  const auto moments = moments_of(values);
  double sum = 0;
  double furthest = 0;
  for (const double value : values) {
    sum += value - moments.mean;
    furthest = std::max(furthest, std::abs(sum));
  }
  constexpr double kolmogorov_1_percent = 1.63;
  return furthest > kolmogorov_1_percent * std::sqrt(moments.squares);
}

}  // namespace

double theil_sen_slope(const std::vector<double>& values) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  return slopes.empty() ? 0 : median_of(std::move(slopes));
}

bool drifts(const std::vector<double>& values) {
  return has_direction(values) && leaves_its_mean(values);
}

}  // namespace epochcast::forecast
