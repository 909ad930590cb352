#include "analysis/predict/sweep_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/records/recorded_step.hpp"
#include "src/core/median.hpp"
#include "src/core/text.hpp"
#include "src/forecast/regression.hpp"

namespace epochcast::analysis {
namespace {

/// A network along the sweep, measured or between two that were.
struct Place {
  double log_parameters;
  double layers;
  double log_flops;
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

std::vector<forecast::SizedRatio> ratios_along(const std::vector<Place>& places,
                                               const forecast::StepCost& first,
                                               const forecast::StepCost& second) {
  std::vector<forecast::SizedRatio> ratios;
  for (const auto& place : dense(places)) {
    const double flops = std::exp(place.log_flops);
    ratios.push_back({.size = std::exp(place.log_parameters),
                      .log_ratio = std::log(first.law.step_s(place.layers, flops) /
                                            second.law.step_s(place.layers, flops)),
                      .deviation = std::hypot(first.deviation(place.layers, flops),
                                              second.deviation(place.layers, flops))});
  }
  return ratios;
}

/// Launches go with the one option that is swept, if it is a number; 0: not known.
double layers_of(const SweptNetwork& network) {
  const auto layers =
      network.options.size() == 1 ? parse_double(network.options.front()) : std::nullopt;
  return layers && *layers > 0 ? *layers : 0;
}

}  // namespace

std::optional<forecast::NetworkStep> network_step(const Sweep& sweep, std::size_t network,
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
  return time_s ? std::optional(forecast::NetworkStep{layers_of(sweep.networks[network]), flops,
                                                      time_s->median})
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
    const Sweep& sweep, const ColumnPair& pair, const std::vector<std::size_t>& networks) {
  std::vector<forecast::NetworkStep> on_first;
  std::vector<forecast::NetworkStep> on_second;
  std::vector<Place> places;
  for (const auto network : networks) {
    const auto first = network_step(sweep, network, pair.first);
    const auto second = network_step(sweep, network, pair.second);
    if (!first || !second) {
      return forecast::Refusal{"a record holds no time of a step, or no FLOPs"};
    }
    on_first.push_back(*first);
    on_second.push_back(*second);
    places.push_back(
        {std::log(sweep.networks[network].parameters), first->layers, std::log(first->flops)});
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
  const auto ratios = ratios_along(places, found.first, found.second);
  found.crossing = forecast::crossing(ratios);
  found.interval_80 = forecast::crossing_interval(
      ratios, forecast::student_reach(0.80, std::min(found.first.freedom, found.second.freedom)));
  return found;
}

}  // namespace epochcast::analysis
