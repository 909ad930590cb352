// Models of how the loss of each worker grows with the number of workers, and their fits to
// measurements.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/scaling/scaling.hpp"

namespace epochcast::forecast {

/// The time of a worker for its part of the work is the sum of these terms, each with a
/// coefficient.
struct ScalingLaw {
  std::string name;
  std::vector<double (*)(double workers, double nodes)> terms;
};

/// The models of scaling.hpp, each growing faster than the one before. If `with_nodes`, all of them
/// follow once more, with a step per node.
std::vector<ScalingLaw> scaling_laws(bool with_nodes);

/// A model with its coefficients, fitted by non-negative least squares of relative errors.
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
