// How much of the work does not spread over workers: the laws of Amdahl and of Gustafson, fitted.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "src/forecast/scaling.hpp"

namespace epochcast::forecast {

enum class SerialLaw {
  /// A job of fixed size takes T(n) = T(1) (s + (1 - s) / n) (Amdahl 1967).
  amdahl,
  /// A job that grows with n does X(n) = X(1) (n - s (n - 1)) work a second (Gustafson 1988).
  gustafson
};

struct SerialShare {
  double share = 0;  ///< s, from 0 to 1.
  /// 95 %, from 0 to 1; nothing if as many points as coefficients leave no error to judge by.
  std::optional<double> low;
  std::optional<double> high;
  double error = 0;  ///< Root of the mean squared relative error of the points.
  /// Why no share from 0 to 1 is near the points, of which then nothing else is said; "".
  std::string_view no_law = "";
};

/// s of the law, X(1) or T(1) fitted with it, by least squares of relative errors. Interval: from
/// the scatter of the points (repeats are points) about the law, first order in the coefficients
/// (delta method), Student's t. A share below 0 whose interval reaches 0 is 0, with the fit for it.
/// Nodes are not looked at. Nothing with fewer than two numbers of
/// workers, or where workers or throughput are not above 0.
std::optional<SerialShare> serial_share(SerialLaw law, const std::vector<ScalingPoint>& points);

}  // namespace epochcast::forecast
