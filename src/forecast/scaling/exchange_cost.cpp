#include "src/forecast/scaling/exchange_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/scaling/batch_cost.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::forecast {
namespace {

/// The backward pass computes two of the three matrix products of each layer.
constexpr double backward_share = 2.0 / 3;

/// The probes on `nodes` nodes with the number of ranks nearest to `ranks`; of two equally near
/// numbers, the larger.
std::vector<ExchangeProbe> nearest(std::vector<ExchangeProbe> probes, double ranks, double nodes) {
  std::erase_if(probes, [&](const ExchangeProbe& probe) {
    return probe.nodes != nodes || !(probe.ranks > 1) || !(probe.seconds > 0);
  });
  const auto best = std::ranges::min_element(probes, {}, [&](const ExchangeProbe& probe) {
    return std::pair(std::abs(std::log(probe.ranks / ranks)), -probe.ranks);
  });
  if (best != probes.end()) {
    std::erase_if(probes, [probed = best->ranks](const ExchangeProbe& probe) {
      return probe.ranks != probed;
    });
  }
  return probes;
}

}  // namespace

std::optional<double> all_reduce_s(const std::vector<ExchangeProbe>& probes, double ranks,
                                   double nodes, double bytes) {
  const auto used = nearest(probes, ranks, nodes);
  std::vector<BatchTime> times;  // of messages, by their bytes
  for (const auto& probe : used) {
    times.push_back({probe.message_bytes, probe.seconds});
  }
  const auto cost = batch_cost(times);
  if (!cost || !(ranks > 1)) {
    return std::nullopt;
  }
  const double probed = used.front().ranks;
  const double messages = (ranks - 1) / (probed - 1);
  return cost->launch_s * messages + cost->item_s * bytes * messages * probed / ranks;
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
