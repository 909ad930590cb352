#include "analysis/predict/serving_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/groups/serving_runs.hpp"
#include "src/base/core/error.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::analysis {
namespace {

using forecast::BatchCost;
using forecast::BatchTime;
using forecast::Refusal;
using forecast::RequestKind;
using forecast::Traffic;

/// Fewer passes of a size may all have been the first ones, or disturbed.
constexpr std::int64_t fewest_passes = 3;

/// The study sends 3 fixed texts, or 10 in random order. A file's fixed request has as many texts
/// as the others. A fixed request is in the cache from its second time on.
std::vector<RequestKind> kinds_of(const run::ServeOptions& serve, const run::LoadOptions& load) {
  const bool is_cached = serve.cache_time.value > 0;
  const bool is_study = load.mix == run::LoadOptions{}.mix;
  return {{is_study ? 3 : load.texts, load.cached, is_cached},
          {is_study ? 10 : load.texts, 1 - load.cached, false}};
}

std::map<std::int64_t, record::ServingPass> passes_by_inputs(
    const std::vector<record::ServingPass>& passes) {
  std::map<std::int64_t, record::ServingPass> by_inputs;
  for (const auto& row : passes) {
    if (row.passes > 0 && row.inputs > 0) {
      auto& sum = by_inputs[row.inputs];
      sum.passes += row.passes;
      sum.sum_s += row.sum_s;
    }
  }
  return by_inputs;
}

/// Mean time by size, of the sizes that were seen often; of all, if those would be too few.
std::vector<BatchTime> batch_times_of(const std::vector<record::ServingPass>& passes) {
  const auto by_inputs = passes_by_inputs(passes);
  const auto is_often = [](const auto& entry) { return entry.second.passes >= fewest_passes; };
  const bool enough = std::ranges::count_if(by_inputs, is_often) >= 2;
  std::vector<BatchTime> times;
  for (const auto& entry : by_inputs) {
    if (is_often(entry) || !enough) {
      const auto& [inputs, sum] = entry;
      times.push_back({static_cast<double>(inputs), sum.sum_s / static_cast<double>(sum.passes)});
    }
  }
  return times;
}

std::variant<BatchCost, Refusal> cost_of(const std::vector<BatchTime>& times, std::int64_t batch) {
  if (times.empty()) {
    return Refusal{
        "no micro-batches are recorded: the service does not say them in /metrics, or an older "
        "epochcast-load wrote the record"};
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

}  // namespace

std::variant<SeenService, forecast::Refusal> seen_service(const record::Record& record) {
  if (record.serving_stages.empty()) {
    return forecast::Refusal{"the record has no stage of a load"};
  }
  const auto& first = record.serving_stages.front();
  try {
    return SeenService{
        .serve = serve_options_of(record),
        .load = load_options_of(record),
        .passes = record.serving_passes,
        .light_load = first.load_to,
        .light_s = first.duration_s,
        .light_latencies = record::latencies_of(record.serving_latencies, first.stage)};
  } catch (const Error& error) {
    return forecast::Refusal{error.what()};
  }
}

SeenService seen_service(const ServingRuns& runs, const ServingLoad& load) {
  return {.serve = runs.serve_options,
          .load = runs.load_options,
          .passes = load.passes,
          .light_load = load.sum.load_to,
          .light_s = load.mean_duration_s(),
          .light_latencies = load.latencies};
}

std::variant<ServingForecast, Refusal> ServingForecast::from(const SeenService& seen) {
  ServingForecast made;
  from_text(seen.load.arrivals, made.arrivals_);
  made.kinds_ = kinds_of(seen.serve, seen.load);
  made.times_ = batch_times_of(seen.passes);
  const auto cost = cost_of(made.times_, seen.serve.batch);
  if (const auto* refusal = std::get_if<Refusal>(&cost)) {
    return *refusal;
  }
  made.service_ = {.cost = std::get<BatchCost>(cost),
                   .batch = seen.serve.batch,
                   .wait_s = seen.serve.batch_wait.value,
                   .queue = seen.serve.queue};
  made.set_overhead(seen);
  return made;
}

/// What the median latency of the light load has beyond its simulation.
void ServingForecast::set_overhead(const SeenService& seen) {
  if (seen.light_latencies.count() == 0 || seen.light_load <= 0 || seen.light_s <= 0) {
    return;
  }
  const auto simulated = forecast::simulate(service_, traffic(seen.light_load, seen.light_s));
  service_.overhead_s = std::max(0.0, seen.light_latencies.quantile_s(0.5) - simulated.p50_s);
}

Traffic ServingForecast::traffic(double load, double time_s) const {
  return {.arrivals = arrivals_, .load = load, .time_s = time_s, .kinds = kinds_};
}

forecast::Served ServingForecast::at(const Traffic& traffic) const {
  return forecast::simulate_typical(service_, traffic);
}

std::optional<forecast::BreakingLoad> ServingForecast::highest(const Traffic& traffic,
                                                               double threshold_s) const {
  return forecast::breaking_load(service_, traffic, threshold_s);
}

std::vector<std::string> ServingForecast::reasons() const {
  const auto& largest = std::ranges::max(times_, {}, &BatchTime::batch);
  std::vector<std::string> reasons{
      fmt::format("a micro-batch of b inputs takes {:.2f} ms + {:.3f} ms b; at the {} measured "
                  "sizes this is off by at most {:.0f} %",
                  1e3 * service_.cost.launch_s, 1e3 * service_.cost.item_s, times_.size(),
                  100 * forecast::largest_error(service_.cost, times_))};
  if (largest.batch < static_cast<double>(service_.batch)) {
    reasons.push_back(
        fmt::format("the largest micro-batch had {} of {} inputs: larger ones are extrapolated",
                    largest.batch, service_.batch));
  }
  reasons.push_back(fmt::format("a request takes {:.2f} ms outside of queue and network",
                                1e3 * service_.overhead_s));
  return reasons;
}

std::variant<LightestForecast, Refusal> lightest_forecast(const ServingRuns& runs) {
  std::optional<Refusal> first;
  for (const auto& load : runs.loads) {
    if (record::is_ramp(load.sum) || load.sum.requests == 0) {
      continue;
    }
    if (load.share_within(runs.threshold_s) < share_to_keep) {
      break;
    }
    auto made = ServingForecast::from(seen_service(runs, load));
    if (auto* forecast = std::get_if<ServingForecast>(&made)) {
      return LightestForecast{&load, std::move(*forecast)};
    }
    const auto& reason = std::get<Refusal>(made).reason;
    first = first.value_or(Refusal{fmt::format("{}: {}", record::load_text(load.sum), reason)});
  }
  return first.value_or(Refusal{"no steady load kept the threshold"});
}

}  // namespace epochcast::analysis
