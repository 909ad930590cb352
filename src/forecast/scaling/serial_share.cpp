#include "src/forecast/scaling/serial_share.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/statistics/regression.hpp"

namespace epochcast::forecast {
namespace {

/// A point gives the equation: `serial` times the coefficient of the serial part, plus `spread`
/// times the coefficient of the parallel part, is 1. Both laws have this form, with the
/// coefficients s and 1 - s times T(1) or X(1).
struct Equation2 {
  double serial;
  double spread;
};

Equation2 equation(SerialLaw law, const ScalingPoint& point) {
  if (law == SerialLaw::amdahl) {
    return {point.throughput, point.throughput / point.workers};
  }
  return {1 / point.throughput, point.workers / point.throughput};
}

/// The normal equations of least squares: a symmetric matrix and the right-hand side.
struct Normal {
  double ss = 0, sp = 0, pp = 0;
  double s1 = 0, p1 = 0;

  double determinant() const { return ss * pp - sp * sp; }
};

Normal normal_of(const std::vector<Equation2>& equations) {
  Normal normal;
  for (const auto& [serial, spread] : equations) {
    normal.ss += serial * serial;
    normal.sp += serial * spread;
    normal.pp += spread * spread;
    normal.s1 += serial;
    normal.p1 += spread;
  }
  return normal;
}

bool can_be_fitted(const std::vector<ScalingPoint>& points) {
  const bool positive = std::ranges::all_of(points, [](const ScalingPoint& point) {
    return point.workers > 0 && point.throughput > 0 && std::isfinite(point.throughput);
  });
  return positive && std::ranges::any_of(points, [&](const ScalingPoint& point) {
           return point.workers != points.front().workers;
         });
}

/// The result of the least squares: the serial fraction is serial / (serial + spread).
struct ShareFit {
  double serial = 0;
  double spread = 0;

  double all() const { return serial + spread; }
  double share() const { return serial / all(); }
};

ShareFit share_fit(const Normal& normal) {
  return {(normal.s1 * normal.pp - normal.p1 * normal.sp) / normal.determinant(),
          (normal.p1 * normal.ss - normal.s1 * normal.sp) / normal.determinant()};
}

/// The fit without a serial part.
ShareFit all_spread(const Normal& normal) {
  return {0, normal.p1 / normal.pp};
}

double squares_of(const std::vector<Equation2>& equations, const ShareFit& fit) {
  double squares = 0;
  for (const auto& one : equations) {
    squares += std::pow(fit.serial * one.serial + fit.spread * one.spread - 1, 2);
  }
  return squares;
}

/// The half-width of the 95 % interval of the serial fraction, from the gradient of serial /
/// (serial + spread) and the covariance of both coefficients.
double share_half_width(const ShareFit& fit, const Normal& normal, double squares, double freedom) {
  const double by_serial = fit.spread / (fit.all() * fit.all());
  const double by_spread = -fit.serial / (fit.all() * fit.all());
  const double variance =
      squares / freedom / normal.determinant() *
      (by_serial * by_serial * normal.pp - 2 * by_serial * by_spread * normal.sp +
       by_spread * by_spread * normal.ss);
  return student_half_width(0.95, freedom) * std::sqrt(std::max(0.0, variance));
}

/// Whether a coefficient is negative by more than rounding errors.
bool is_negative(double coefficient, const ShareFit& fit) {
  return coefficient < -1e-9 * (std::abs(fit.serial) + std::abs(fit.spread));
}

}  // namespace

std::optional<SerialShare> serial_share(SerialLaw law, const std::vector<ScalingPoint>& points) {
  if (!can_be_fitted(points)) {
    return std::nullopt;
  }
  std::vector<Equation2> equations;
  for (const auto& point : points) {
    equations.push_back(equation(law, point));
  }
  const auto normal = normal_of(equations);
  auto fit = share_fit(normal);
  SerialShare found;
  if (is_negative(fit.spread, fit)) {
    found.no_law = "more workers are slower";
    return found;
  }
  const double freedom = static_cast<double>(points.size()) - 2;
  const double half_width =
      freedom > 0 ? share_half_width(fit, normal, squares_of(equations, fit), freedom) : 0;
  if (is_negative(fit.serial, fit) && !(fit.all() > 0 && fit.share() + half_width >= 0)) {
    found.no_law = "workers gain more than their number";
    return found;
  }
  if (freedom > 0) {
    found.low = std::clamp(fit.share() - half_width, 0.0, 1.0);
    found.high = std::clamp(fit.share() + half_width, 0.0, 1.0);
  }
  fit = is_negative(fit.serial, fit) ? all_spread(normal) : fit;
  found.share = std::clamp(fit.share(), 0.0, 1.0);
  found.error = std::sqrt(squares_of(equations, fit) / static_cast<double>(points.size()));
  return found;
}

}  // namespace epochcast::forecast
