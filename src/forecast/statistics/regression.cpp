#include "src/forecast/statistics/regression.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "src/base/core/statistics.hpp"
#include "src/forecast/statistics/moments.hpp"

namespace epochcast::forecast {

namespace {

/// Solves n equations by Gaussian elimination with pivoting: rows of n factors and the right-hand
/// side, which becomes the solution. False if they are singular.
bool solve(std::vector<double>& rows, std::size_t n) {
  const auto width = n + 1;
  for (std::size_t column = 0; column < n; ++column) {
    auto pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      pivot = std::abs(rows[row * width + column]) > std::abs(rows[pivot * width + column]) ? row
                                                                                            : pivot;
    }
    if (std::abs(rows[pivot * width + column]) < 1e-12) {
      return false;
    }
    for (std::size_t i = 0; i < width && pivot != column; ++i) {
      std::swap(rows[pivot * width + i], rows[column * width + i]);
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor =
          row == column ? 0 : rows[row * width + column] / rows[column * width + column];
      for (std::size_t i = column; factor != 0 && i < width; ++i) {
        rows[row * width + i] -= factor * rows[column * width + i];
      }
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    rows[row * width + n] /= rows[row * width + row];
  }
  return true;
}

}  // namespace

NormalEquations::NormalEquations(std::size_t unknowns)
    : unknowns_(unknowns), sums_(unknowns * unknowns), right_(unknowns), most_(unknowns) {}

void NormalEquations::add(std::span<const double> equation, double sign) {
  count_ += sign;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    const double factor = sign * equation[i];
    right_[i] += factor;
    for (std::size_t j = 0; j < unknowns_; ++j) {
      sums_[i * unknowns_ + j] += factor * equation[j];
    }
    most_[i] = std::max(most_[i], at(i, i));
  }
}

bool NormalEquations::is_precise() const {
  constexpr double least_part = 1e-3;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    if (at(i, i) < least_part * most_[i]) {
      return false;
    }
  }
  return true;
}

/// With the coefficients `used` alone, with columns scaled to length 1.
NormalEquations::Solution NormalEquations::solved_for(const std::vector<std::size_t>& used) const {
  const auto n = used.size();
  std::vector<double> length(n), rows(n * (n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    length[i] = std::sqrt(std::max(0.0, at(used[i], used[i])));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      rows[i * (n + 1) + j] = at(used[i], used[j]) / (length[i] * length[j]);
    }
    rows[i * (n + 1) + n] = right_[used[i]] / length[i];
  }
  if (!solve(rows, n)) {
    return {};
  }
  Solution solution{.values = std::vector<double>(unknowns_)};
  for (std::size_t i = 0; i < n; ++i) {
    const double value = rows[i * (n + 1) + n] / length[i];
    if (!std::isfinite(value)) {
      return {};
    }
    solution.values[used[i]] = value;
    solution.gain += value * right_[used[i]];
  }
  return solution;
}

/// The coefficient of those not `used` that would lower the error most if it grew; unknowns_ if
/// none would: then the values are the best ones (Karush, Kuhn and Tucker).
std::size_t NormalEquations::worth_adding(const std::vector<double>& values) const {
  constexpr double rounding = 1e-9;
  auto best = unknowns_;
  double steepest = 0;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    double slope = -right_[i];
    for (std::size_t j = 0; j < unknowns_; ++j) {
      slope += at(i, j) * values[j];
    }
    slope /= std::sqrt(at(i, i) * count_);
    if (values[i] == 0 && slope < -rounding && slope < steepest) {
      steepest = slope;
      best = i;
    }
  }
  return best;
}

/// From the coefficients above 0 of a similar fit, changing one at a time; empty if that leads to
/// nothing.
std::vector<double> NormalEquations::near(const std::vector<double>& likely) const {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    if (likely[i] > 0) {
      used.push_back(i);
    }
  }
  for (std::size_t tries = 2 * unknowns_; tries > 0 && !used.empty(); --tries) {
    auto found = solved_for(used);
    if (found.values.empty()) {
      return {};
    }
    const auto least =
        std::ranges::min_element(used, {}, [&](std::size_t i) { return found.values[i]; });
    if (found.values[*least] < 0) {
      used.erase(least);
      continue;
    }
    const auto more = worth_adding(found.values);
    if (more == unknowns_) {
      return std::move(found.values);
    }
    used.push_back(more);
  }
  return {};
}

std::vector<double> NormalEquations::non_negative(const std::vector<double>& likely) const {
  constexpr double rounding = 1e-12;  // of equal errors the first subset wins, which is the simpler
  if (auto found = near(likely); !found.empty()) {
    return found;
  }
  Solution best{.values = std::vector<double>(unknowns_)};
  std::vector<std::size_t> used;
  for (std::size_t set = 1; set < std::size_t{1} << unknowns_; ++set) {
    used.clear();
    for (std::size_t i = 0; i < unknowns_; ++i) {
      if ((set >> i & 1) == 1) {
        used.push_back(i);
      }
    }
    auto found = solved_for(used);
    if (!found.values.empty() && std::ranges::min(found.values) >= 0 &&
        found.gain > best.gain + rounding * count_) {
      best = std::move(found);
    }
  }
  return best.values;
}

std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations) {
  NormalEquations sums(equations.front().size());
  for (const auto& equation : equations) {
    sums.add(equation);
  }
  return sums.non_negative();
}

double student_half_width(double level, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), (1 + level) / 2);
}

double student_probability(double t, double freedom) {
  return boost::math::cdf(boost::math::students_t(freedom), t);
}

double normal_half_width(double level) {
  return boost::math::quantile(boost::math::normal(), (1 + level) / 2);
}

double chi_squared_quantile(double level, double freedom) {
  return boost::math::quantile(boost::math::chi_squared(freedom), level);
}

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
