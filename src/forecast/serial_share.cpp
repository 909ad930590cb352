#include "src/forecast/serial_share.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/forecast/student.hpp"

namespace epochcast {
namespace {

/// A point says: serial times the coefficient of what is serial, plus spread times that of what is
/// spread, is 1. Both laws are of this form, with the coefficients s and 1 - s times T(1) or X(1).
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
  const double serial = (normal.s1 * normal.pp - normal.p1 * normal.sp) / normal.determinant();
  const double spread = (normal.p1 * normal.ss - normal.s1 * normal.sp) / normal.determinant();
  double squares = 0;
  for (const auto& one : equations) {
    squares += std::pow(serial * one.serial + spread * one.spread - 1, 2);
  }
  const double all = serial + spread;
  SerialShare found{.share = serial / all,
                    .low = std::nullopt,
                    .high = std::nullopt,
                    .error = std::sqrt(squares / static_cast<double>(points.size()))};
  if (const double freedom = static_cast<double>(points.size()) - 2; freedom > 0) {
    // The gradient of serial / (serial + spread) about the covariance of both.
    const double by_serial = spread / (all * all);
    const double by_spread = -serial / (all * all);
    const double variance =
        squares / freedom / normal.determinant() *
        (by_serial * by_serial * normal.pp - 2 * by_serial * by_spread * normal.sp +
         by_spread * by_spread * normal.ss);
    const double reach = student_reach(0.95, freedom) * std::sqrt(std::max(0.0, variance));
    found.low = found.share - reach;
    found.high = found.share + reach;
  }
  return found;
}

}  // namespace epochcast
