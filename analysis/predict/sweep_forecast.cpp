#include "analysis/predict/sweep_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::analysis {
namespace {

/// A network along the sweep, measured or between two that were.
struct Place {
  double log_parameters;
  double layers;
  double log_flops;

  forecast::StepSetting setting() const { return {.flops = std::exp(log_flops), .layers = layers}; }
};

Place between(const Place& a, const Place& b, double share) {
  return {std::lerp(a.log_parameters, b.log_parameters, share),
          std::lerp(a.layers, b.layers, share), std::lerp(a.log_flops, b.log_flops, share)};
}

/// From the first place to the last, so close that straight lines between them do no harm.
std::vector<Place> dense(const std::vector<Place>& places) {
  constexpr int steps = 64;
  std::vector<Place> all;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    for (int step = 0; step < steps; ++step) {
      all.push_back(between(places[i], places[i + 1], static_cast<double>(step) / steps));
    }
  }
  all.push_back(places.back());
  return all;
}

/// The ratio of both columns at a network: by the threads, else by both fits.
forecast::SizedRatio ratio_at(const SweepForecast& found, const Place& place) {
  const auto at = place.setting();
  const auto& first = found.first;
  const auto& second = found.second;
  forecast::SizedRatio ratio{.size = std::exp(place.log_parameters)};
  ratio.log_ratio = found.threads ? found.threads->log_ratio(at)
                                  : std::log(first.law.step_s(at) / second.law.step_s(at));
  ratio.deviation = found.threads ? found.threads->deviation(at)
                                  : std::hypot(first.deviation(at), second.deviation(at));
  return ratio;
}

/// Launches are proportional to the one option that is swept, if it is a number; 0: not known.
double layers_of(const SweptNetwork& network) {
  const auto layers =
      network.options.size() == 1 ? parse_double(network.options.front()) : std::nullopt;
  return layers && *layers > 0 ? *layers : 0;
}

/// A run of a column; a column has one for each network that it is forecast from.
const record::Record& example_of(const Sweep& sweep, std::size_t column,
                                 const std::vector<std::size_t>& networks) {
  return *sweep.networks[networks.front()].runs[column].front();
}

/// Whether both computed with threads of one process, on CPUs of the same model.
bool differ_in_threads(const record::Record& first, const record::Record& second) {
  return !used_gpu(first) && !used_gpu(second) && ranks_of(first) == 1 && ranks_of(second) == 1 &&
         hardware_of(first) == hardware_of(second) && cpus_of(first) > 0 &&
         cpus_of(first) < cpus_of(second);
}

/// Nothing if the columns differ in more than their threads, or layers are not known.
std::optional<forecast::ThreadedCost> cost_of_threads(
    const record::Record& first, const record::Record& second, const forecast::StepCost& cost,
    const std::vector<forecast::ThreadedStep>& steps, double thread_wake_s) {
  const bool layers_known = std::ranges::all_of(
      steps, [](const forecast::ThreadedStep& step) { return step.fewer.setting.layers > 0; });
  if (!differ_in_threads(first, second) || !layers_known) {
    return std::nullopt;
  }
  const auto fewer = static_cast<double>(cpus_of(first));
  const auto more = static_cast<double>(cpus_of(second));
  const double operators = infers(second) ? 1 : 3;
  return forecast::threaded_cost(cost, steps, more / fewer,
                                 operators * (more - fewer) * thread_wake_s);
}

}  // namespace

std::optional<forecast::SettingTime> network_step(const Sweep& sweep, std::size_t network,
                                                  std::size_t column) {
  std::vector<double> times_s;
  double flops = 0;
  for (const auto* run : sweep.networks[network].runs[column]) {
    const auto step = recorded_step(*run);
    if (step && step->measured.work.flops > 0) {
      const auto steps_s = steady_steps_s(*run);
      times_s.push_back(steps_s.empty() ? step->measured.time_s : median_of(steps_s));
      flops = step->measured.work.flops;
    }
  }
  const auto time_s = summarize(times_s);
  return time_s
             ? std::optional(forecast::SettingTime{
                   {.flops = flops, .layers = layers_of(sweep.networks[network])}, time_s->median})
             : std::nullopt;
}

std::vector<std::size_t> networks_on_both(const Sweep& sweep, const ColumnPair& pair) {
  std::vector<std::size_t> both;
  for (std::size_t i = 0; i < sweep.networks.size(); ++i) {
    if (!sweep.networks[i].runs[pair.first].empty() &&
        !sweep.networks[i].runs[pair.second].empty()) {
      both.push_back(i);
    }
  }
  return both;
}

std::variant<SweepForecast, forecast::Refusal> sweep_forecast(
    const Sweep& sweep, const ColumnPair& pair, const std::vector<std::size_t>& networks,
    std::optional<double> thread_wake_s) {
  std::vector<forecast::ThreadedStep> on_both;
  std::vector<forecast::SettingTime> on_first;
  std::vector<forecast::SettingTime> on_second;
  std::vector<Place> places;
  for (const auto network : networks) {
    const auto first = network_step(sweep, network, pair.first);
    const auto second = network_step(sweep, network, pair.second);
    if (!first || !second) {
      return forecast::Refusal{"a record holds no time of a step, or no FLOPs"};
    }
    on_first.push_back(*first);
    on_second.push_back(*second);
    on_both.push_back({*first, second->step_s});
    places.push_back({std::log(sweep.networks[network].parameters), first->setting.layers,
                      std::log(first->setting.flops)});
  }
  const auto first = forecast::step_cost(on_first);
  const auto second = forecast::step_cost(on_second);
  for (const auto* cost : {&first, &second}) {
    if (const auto* refusal = std::get_if<forecast::Refusal>(cost)) {
      return *refusal;
    }
  }
  SweepForecast found{.first = std::get<forecast::StepCost>(first),
                      .second = std::get<forecast::StepCost>(second),
                      .crossing = std::nullopt,
                      .interval_80 = {}};
  if (thread_wake_s) {
    found.threads = cost_of_threads(example_of(sweep, pair.first, networks),
                                    example_of(sweep, pair.second, networks), found.first, on_both,
                                    *thread_wake_s);
  }
  std::vector<forecast::SizedRatio> ratios;
  for (const auto& place : dense(places)) {
    ratios.push_back(ratio_at(found, place));
  }
  found.crossing = forecast::crossing(ratios);
  found.interval_80 = forecast::crossing_interval(
      ratios,
      forecast::student_half_width(0.80, std::min(found.first.freedom, found.second.freedom)));
  return found;
}

}  // namespace epochcast::analysis
