#include "analysis/predict/recorded_service.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/record/queries.hpp"
#include "src/record/serving_queries.hpp"
#include "src/run/field_values.hpp"
#include "src/run/serving.hpp"

namespace epochcast::analysis {
namespace {

using forecast::Arrivals;
using forecast::BatchCost;
using forecast::BatchTime;
using forecast::Refusal;
using forecast::RequestKind;
using forecast::Service;
using forecast::Traffic;

/// Fewer passes of a size may all have been the first ones, or disturbed.
constexpr std::int64_t fewest_passes = 3;

/// The options of the record with this prefix; those that it lacks have their default.
template <class Options>
Options options_of(const record::Record& record, std::string_view prefix) {
  Options options;
  for_each_field<Options>([&](const auto& field) {
    const auto text = record::parameter(record, fmt::format("{}{}", prefix, field.name));
    if (!text.empty()) {
      run::set_field_value(options, field, text);
    }
  });
  return options;
}

/// The study sends 3 fixed texts, or 10 in random order. A file's fixed request has as many texts
/// as the others. A fixed request is in the cache from its second time on.
std::vector<RequestKind> kinds_of(const run::ServeOptions& serve, const run::LoadOptions& load) {
  const bool is_cached = serve.cache_time.value > 0;
  const bool is_study = load.mix == run::LoadOptions{}.mix;
  return {{is_study ? 3 : load.texts, load.cached, is_cached},
          {is_study ? 10 : load.texts, 1 - load.cached, false}};
}

Arrivals arrivals_of(const run::LoadOptions& load) {
  return load.arrivals == "closed"     ? Arrivals::closed
         : load.arrivals == "constant" ? Arrivals::constant
                                       : Arrivals::poisson;
}

/// Mean time by size, of the sizes that were seen often; of all, if those would be too few.
std::vector<BatchTime> batch_times_of(const record::Record& record) {
  const auto is_often = [](const record::ServingPass& row) { return row.passes >= fewest_passes; };
  const bool enough = std::ranges::count_if(record.serving_passes, is_often) >= 2;
  std::vector<BatchTime> times;
  for (const auto& row : record.serving_passes) {
    if (row.passes > 0 && row.inputs > 0 && (is_often(row) || !enough)) {
      times.push_back(
          {static_cast<double>(row.inputs), row.sum_s / static_cast<double>(row.passes)});
    }
  }
  return times;
}

std::variant<BatchCost, Refusal> cost_of(const std::vector<BatchTime>& times, std::int64_t batch) {
  if (times.empty()) {
    return Refusal{"the record has no micro-batches: the service does not say them in /metrics"};
  }
  if (const auto cost = forecast::batch_cost(times)) {
    return *cost;
  }
  if (batch > 1) {
    return Refusal{fmt::format(
        "all micro-batches have {} inputs, so what another size takes is not known; apply stages "
        "with more and with fewer users",
        times.front().batch)};
  }
  return BatchCost{times.front().step_s, 0, times.front().batch};
}

/// The time of a request outside of queue and network, from the first stage.
double overhead_s(const record::Record& record, const Service& service) {
  const auto traffic = traffic_of(record, 0);
  const auto latencies =
      record::latencies_of(record.serving_latencies, record.serving_stages.front().stage);
  if (latencies.count() == 0 || traffic.load <= 0 || traffic.time_s <= 0) {
    return 0;
  }
  return std::max(0.0, latencies.quantile_s(0.5) - forecast::simulate(service, traffic).p50_s);
}

void add_reasons(MeasuredService& measured) {
  const auto& largest = std::ranges::max(measured.times, {}, &BatchTime::batch);
  measured.reasons.push_back(
      fmt::format("a micro-batch of b inputs takes {:.2f} ms + {:.3f} ms b; at the {} measured "
                  "sizes this is off by at most {:.0f} %",
                  1e3 * measured.service.cost.launch_s, 1e3 * measured.service.cost.item_s,
                  measured.times.size(), 100 * measured.largest_error));
  if (largest.batch < static_cast<double>(measured.service.batch)) {
    measured.reasons.push_back(
        fmt::format("the largest micro-batch had {} of {} inputs: larger ones are extrapolated",
                    largest.batch, measured.service.batch));
  }
  measured.reasons.push_back(fmt::format("a request takes {:.2f} ms outside of queue and network",
                                         1e3 * measured.service.overhead_s));
}

}  // namespace

std::variant<MeasuredService, Refusal> service_of(const record::Record& record) {
  if (record.serving_stages.empty()) {
    return Refusal{"the record has no stage of a load"};
  }
  const auto serve = options_of<run::ServeOptions>(record, "serve.");
  const auto load = options_of<run::LoadOptions>(record, "load.");
  MeasuredService measured{.service = {.cost = {},
                                       .batch = serve.batch,
                                       .wait_s = serve.batch_wait.value,
                                       .queue = serve.queue},
                           .traffic = traffic_of(record, record.serving_stages.size() - 1),
                           .threshold_s = load.threshold.value,
                           .times = batch_times_of(record),
                           .reasons = {}};
  const auto cost = cost_of(measured.times, serve.batch);
  if (const auto* refusal = std::get_if<Refusal>(&cost)) {
    return *refusal;
  }
  measured.service.cost = std::get<BatchCost>(cost);
  measured.largest_error = forecast::largest_error(measured.service.cost, measured.times);
  measured.service.overhead_s = overhead_s(record, measured.service);
  add_reasons(measured);
  return measured;
}

Traffic traffic_of(const record::Record& record, std::size_t stage) {
  const auto serve = options_of<run::ServeOptions>(record, "serve.");
  const auto load = options_of<run::LoadOptions>(record, "load.");
  const auto& row = record.serving_stages.at(stage);
  return {.arrivals = arrivals_of(load),
          .load = row.load_to,
          .time_s = row.duration_s,
          .kinds = kinds_of(serve, load)};
}

}  // namespace epochcast::analysis
