// The serial fraction of a workload, which does not run in parallel: fits of the laws of Amdahl and
// of Gustafson.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "src/forecast/scaling/scaling.hpp"

namespace epochcast::forecast {

enum class SerialLaw {
  /// A job of fixed size takes T(n) = T(1) (s + (1 - s) / n) (Amdahl 1967).
  amdahl,
  /// A job that grows with n does X(n) = X(1) (n - s (n - 1)) work per second (Gustafson 1988).
  gustafson
};

struct SerialShare {
  double share = 0;  ///< s, from 0 to 1.
  /// 95 % interval, from 0 to 1; std::nullopt if there are only as many points as coefficients, so
  /// that no error can be estimated.
  std::optional<double> low;
  std::optional<double> high;
  double error = 0;  ///< Root mean square of the relative errors of the points.
  /// Why no fraction from 0 to 1 fits the points; the other members are not set then. Otherwise "".
  std::string_view no_law = "";
};

/// Fits s of the law, together with X(1) or T(1), by least squares of relative errors. The interval
/// follows from the scatter of the points about the law (repeated measurements are points too), to
/// first order in the coefficients (delta method), with Student's t. If s is below 0 but its
/// interval reaches 0, s is 0, with the fit for s = 0. The number of nodes is ignored. std::nullopt
/// for fewer than two numbers of workers, or if workers or throughput are not above 0.
std::optional<SerialShare> serial_share(SerialLaw law, const std::vector<ScalingPoint>& points);

}  // namespace epochcast::forecast
