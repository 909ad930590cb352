#include "src/forecast/scaling/scaling_law.hpp"

#include <cmath>

#include "src/forecast/run/regression.hpp"

namespace epochcast::forecast {
namespace {

double one(double, double) {
  return 1;
}
double ring(double n, double) {
  return (n - 1) / n;
}
double tree(double n, double) {
  return std::log2(n);
}
double serial(double n, double) {
  return n - 1;
}
double coherency(double n, double) {
  return n * (n - 1);
}
double node_step(double, double nodes) {
  return nodes - 1;
}

}  // namespace

std::vector<ScalingLaw> scaling_laws(bool with_nodes) {
  std::vector<ScalingLaw> all{{"none", {one}},
                              {"(n-1)/n", {one, ring}},
                              {"log n", {one, tree}},
                              {"n-1", {one, serial}},
                              {"n-1 and n(n-1)", {one, serial, coherency}}};
  if (with_nodes) {
    for (auto law : std::vector(all)) {
      law.name += ", a step a node";
      law.terms.push_back(node_step);
      all.push_back(law);
    }
  }
  return all;
}

ScalingFit::ScalingFit(const ScalingLaw& law, const std::vector<ScalingPoint>& points) : law_(law) {
  std::vector<Equation> equations;
  for (const auto& point : points) {
    const double share = point.workers / point.throughput;
    auto& equation = equations.emplace_back();
    for (const auto term : law.terms) {
      equation.push_back(term(point.workers, point.nodes) / share);
    }
  }
  coefficients_ = non_negative_least_squares(equations);
}

double ScalingFit::throughput(double workers, double nodes) const {
  double share = 0;
  for (std::size_t i = 0; i < coefficients_.size(); ++i) {
    share += coefficients_[i] * law_.terms[i](workers, nodes);
  }
  return workers / share;
}

}  // namespace epochcast::forecast
