// Laws of how the loss of each worker grows with their number, and their fits to measurements.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/scaling.hpp"

namespace epochcast::forecast {

/// A worker's share of the work takes the sum of these terms, each with a coefficient.
struct ScalingLaw {
  std::string name;
  std::vector<double (*)(double workers, double nodes)> terms;
};

/// Those of scaling.hpp, each faster in growing than the one before; once more with a step a node
/// if `with_nodes`.
std::vector<ScalingLaw> scaling_laws(bool with_nodes);

/// A law with its coefficients, by non-negative least squares of relative errors.
class ScalingFit {
 public:
  /// `law` must outlive the fit.
  ScalingFit(const ScalingLaw& law, const std::vector<ScalingPoint>& points);

  double throughput(double workers, double nodes) const;

 private:
  const ScalingLaw& law_;
  std::vector<double> coefficients_;
};

}  // namespace epochcast::forecast
