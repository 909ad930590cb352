#include "analysis/predict/probed_scaling.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "analysis/records/exchange.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/scaling/law_error.hpp"

namespace epochcast::analysis {
namespace {

constexpr double gradient_bytes_each = 4;  // fp32

/// A run to start from.
struct Base {
  forecast::ScalingPoint point;
  forecast::ExchangedStep step;
  double workers_a_rank;

  double ranks_a_node() const { return step.ranks / step.nodes; }
};

std::optional<Base> base_of(const forecast::ScalingPoint& point, const record::Record& record) {
  const auto exchange = exchange_of(record);
  if (!exchange || record.work.empty() || record.work.front().parameter_count <= 0) {
    return std::nullopt;
  }
  const auto ranks = static_cast<double>(ranks_of(record));
  const auto parameters = static_cast<double>(record.work.front().parameter_count);
  return Base{.point = point,
              .step = {.ranks = ranks,
                       .nodes = point.nodes,
                       .own_s = exchange->own_step_s,
                       .gradient_sync_wait_s = exchange->wait_s,
                       .gradient_bytes = gradient_bytes_each * parameters},
              .workers_a_rank = point.workers / ranks};
}

}  // namespace

std::vector<forecast::ExchangeProbe> probes_of(const std::vector<LoadedRecord>& records) {
  std::vector<forecast::ExchangeProbe> probes;
  for (const auto& [path, record] : records) {
    for (const auto& probe : record.probes) {
      if (probe.name == "all_reduce") {
        probes.push_back({static_cast<double>(probe.ranks), static_cast<double>(probe.nodes),
                          static_cast<double>(probe.message_bytes), probe.seconds});
      }
    }
  }
  return probes;
}

std::optional<forecast::ScalingForecast> forecast_by_probes(
    const ProbedRuns& runs, const forecast::ScalingQuestion& question) {
  std::optional<Base> best;
  for (std::size_t i = 0; i < runs.points.size(); ++i) {
    if (runs.points[i].nodes >= question.nodes) {
      return std::nullopt;
    }
    const auto base = base_of(runs.points[i], *runs.records[i]);
    const auto badness = [&](const Base& one) {
      const double wanted = question.workers / question.nodes / one.workers_a_rank;
      return std::tuple(std::abs(std::log(one.ranks_a_node() / wanted)), -one.step.ranks);
    };
    if (base && (!best || badness(*base) < badness(*best))) {
      best = base;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  const double ranks = question.workers / best->workers_a_rank;
  const auto there = forecast::step_on_nodes(best->step, runs.probes, ranks, question.nodes);
  if (!there) {
    return std::nullopt;
  }
  const double more = question.workers / best->point.workers;
  return forecast::ScalingForecast{
      .throughput = forecast::law_prediction(
          best->point.throughput * more * best->step.step_s() / there->step_s, there->deviation,
          forecast::law_freedom),
      .law = "the exchange of gradients, as probed between the nodes",
      .reasons = {fmt::format("a step on {:g} nodes takes {:.4g} s, on {:g} it took {:.4g} s, of "
                              "which {:.4g} s waiting for gradients",
                              question.nodes, there->step_s, best->step.nodes, best->step.step_s(),
                              best->step.gradient_sync_wait_s)}};
}

}  // namespace epochcast::analysis
