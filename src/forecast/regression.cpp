#include "src/forecast/regression.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "src/core/median.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {

namespace {

using Matrix = std::vector<std::vector<double>>;

/// Solves by Gaussian elimination with pivoting; the right-hand side is the last column.
/// std::nullopt if the matrix is singular.
std::optional<std::vector<double>> solved(Matrix rows) {
  const auto n = rows.size();
  for (std::size_t column = 0; column < n; ++column) {
    const auto pivot = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(column), rows.end(),
        [&](const auto& a, const auto& b) { return std::abs(a[column]) < std::abs(b[column]); });
    std::iter_swap(rows.begin() + static_cast<std::ptrdiff_t>(column), pivot);
    if (std::abs(rows[column][column]) < 1e-12) {
      return std::nullopt;
    }
    for (std::size_t row = 0; row < n; ++row) {
      if (row != column) {
        const double factor = rows[row][column] / rows[column][column];
        for (std::size_t i = column; i <= n; ++i) {
          rows[row][i] -= factor * rows[column][i];
        }
      }
    }
  }
  std::vector<double> values;
  for (std::size_t row = 0; row < n; ++row) {
    values.push_back(rows[row][n] / rows[row][row]);
  }
  return values;
}

/// Solves the normal equations of the coefficients `used` alone, with columns scaled to length 1.
std::optional<std::vector<double>> least_squares(const std::vector<Equation>& equations,
                                                 const std::vector<std::size_t>& used) {
  std::vector<double> length(used.size(), 0);
  for (std::size_t i = 0; i < used.size(); ++i) {
    for (const auto& equation : equations) {
      length[i] = std::hypot(length[i], equation[used[i]]);
    }
  }
  Matrix normal(used.size(), std::vector<double>(used.size() + 1, 0));
  for (const auto& equation : equations) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      for (std::size_t j = 0; j < used.size(); ++j) {
        normal[i][j] += equation[used[i]] / length[i] * equation[used[j]] / length[j];
      }
      normal[i].back() += equation[used[i]] / length[i];
    }
  }
  auto values = solved(std::move(normal));
  for (std::size_t i = 0; values && i < used.size(); ++i) {
    (*values)[i] /= length[i];
  }
  return values;
}

double squared_error(const std::vector<Equation>& equations, const std::vector<double>& values) {
  double sum = 0;
  for (const auto& equation : equations) {
    double error = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      error += equation[i] * values[i];
    }
    sum += error * error;
  }
  return sum;
}

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations) {
  const auto n = equations.front().size();
  std::vector<double> best(n, 0);
  double least = squared_error(equations, best);
  for (std::size_t set = 1; set < std::size_t{1} << n; ++set) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < n; ++i) {
      if ((set >> i & 1) == 1) {
        used.push_back(i);
      }
    }
    const auto values = least_squares(equations, used);
    if (!values || !std::all_of(values->begin(), values->end(),
                                [](double value) { return std::isfinite(value) && value >= 0; })) {
      continue;
    }
    std::vector<double> all(n, 0);
    for (std::size_t i = 0; i < used.size(); ++i) {
      all[used[i]] = (*values)[i];
    }
    if (const double error = squared_error(equations, all); error < least) {
      least = error;
      best = all;
    }
  }
  return best;
}

double student_reach(double level, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), (1 + level) / 2);
}

double normal_reach(double level) {
  return boost::math::quantile(boost::math::normal(), (1 + level) / 2);
}

double chi_squared_reach(double level, double freedom) {
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
