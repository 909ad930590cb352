#include "src/forecast/scaling/exchange_cost.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/regression.hpp"

namespace epochcast::forecast {
namespace {

/// The backward pass computes two of the three matrix products of each layer.
constexpr double backward_share = 2.0 / 3;

/// The probes on `nodes` nodes with the number of ranks nearest to `ranks`; of two equally near
/// numbers, the larger.
std::vector<ExchangeProbe> nearest(const std::vector<ExchangeProbe>& probes, double ranks,
                                   double nodes) {
  const auto distance = [&](const ExchangeProbe& probe) {
    return std::abs(std::log(probe.ranks / ranks));
  };
  std::vector<ExchangeProbe> found;
  for (const auto& probe : probes) {
    if (probe.nodes != nodes || !(probe.ranks > 1) || !(probe.seconds > 0)) {
      continue;
    }
    if (!found.empty() && probe.ranks != found.front().ranks) {
      const bool nearer = distance(probe) < distance(found.front());
      const bool as_near = distance(probe) == distance(found.front());
      if (!nearer && !(as_near && probe.ranks > found.front().ranks)) {
        continue;
      }
      found.clear();
    }
    found.push_back(probe);
  }
  return found;
}

}  // namespace

std::optional<double> all_reduce_s(const std::vector<ExchangeProbe>& probes, double ranks,
                                   double nodes, double bytes) {
  const auto used = nearest(probes, ranks, nodes);
  std::set<double> sizes;
  std::vector<Equation> equations;
  for (const auto& probe : used) {
    sizes.insert(probe.message_bytes);
    equations.push_back({1 / probe.seconds, probe.message_bytes / probe.seconds});
  }
  if (sizes.size() < 2 || !(ranks > 1)) {
    return std::nullopt;
  }
  const auto found = non_negative_least_squares(equations);
  const double probed = used.front().ranks;
  const double messages = (ranks - 1) / (probed - 1);
  return found[0] * messages + found[1] * bytes * messages * probed / ranks;
}

std::optional<StepOnNodes> step_on_nodes(const ExchangedStep& measured,
                                         const std::vector<ExchangeProbe>& probes, double ranks,
                                         double nodes) {
  const auto here = all_reduce_s(probes, measured.ranks, measured.nodes, measured.gradient_bytes);
  const auto there = all_reduce_s(probes, ranks, nodes, measured.gradient_bytes);
  if (!here || !there || !(measured.own_s > 0)) {
    return std::nullopt;
  }
  const double waited_share = std::clamp(measured.gradient_sync_wait_s / *here, 0.0, 1.0);
  const double least_s = std::max(0.0, *there - backward_share * measured.own_s);
  const double likely_s = std::max(waited_share * *there, least_s);
  const double spread = std::log((measured.own_s + *there) / (measured.own_s + least_s)) / 2 /
                        normal_half_width(0.80);
  return StepOnNodes{.step_s = measured.own_s + likely_s,
                     .deviation = std::hypot(law_deviation, spread)};
}

}  // namespace epochcast::forecast
