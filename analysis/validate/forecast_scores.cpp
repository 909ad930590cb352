#include "analysis/validate/forecast_scores.hpp"

#include <map>

namespace epochcast::analysis {
namespace {

MaybeForecasts forecasts_of(const std::vector<ForecastCase>& cases) {
  MaybeForecasts forecasts;
  for (const auto& one : cases) {
    const auto answer = forecast::forecast(one.seen);
    const auto* found = std::get_if<forecast::Forecast>(&answer);
    forecasts.push_back(found == nullptr ? std::nullopt : std::optional(*found));
  }
  return forecasts;
}

forecast::PastForecast past_of(const forecast::Forecast& forecast, const ForecastCase& one) {
  return {forecast.total_s, one.actual_s, one.weight};
}

/// What the forecasts teach for a run of a new group; without those of `left_out`, if it is given.
forecast::CalibrationFactors factors_from(const std::vector<ForecastCase>& cases,
                                          const MaybeForecasts& forecasts, std::size_t grouping,
                                          const std::string* left_out = nullptr) {
  std::vector<forecast::PastForecast> past;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& group = cases[i].groups[grouping];
    if (cases[i].teaches && forecasts[i] && (left_out == nullptr || group != *left_out)) {
      past.push_back(past_of(*forecasts[i], cases[i]));
    }
  }
  return forecast::calibration_from(past);
}

/// The forecasts that there are, each changed by its case.
template <class Change>
MaybeForecasts each_changed(MaybeForecasts forecasts, const std::vector<ForecastCase>& cases,
                            const Change& change) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (forecasts[i]) {
      forecasts[i] = change(*forecasts[i], cases[i]);
    }
  }
  return forecasts;
}

}  // namespace

Method method_of(const std::string& name, const std::vector<ForecastCase>& cases,
                 const MaybeForecasts& forecasts) {
  Method method{name, {}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto& rest_s = method.predictions.emplace_back();
    if (forecasts[i]) {
      rest_s = forecasts[i]->total_s + -cases[i].given_s;
    }
    method.classes.push_back(forecasts[i] ? forecasts[i]->classification : "refused");
  }
  return method;
}

MaybeForecasts learnt(std::size_t grouping, const std::vector<ForecastCase>& cases,
                      MaybeForecasts forecasts) {
  std::map<std::string, forecast::CalibrationFactors> by_group;
  for (const auto& one : cases) {
    const auto& group = one.groups[grouping];
    if (!by_group.contains(group)) {
      by_group[group] = factors_from(cases, forecasts, grouping, &group);
    }
  }
  return each_changed(std::move(forecasts), cases, [&](const auto& found, const auto& one) {
    return forecast::calibrated(found, by_group[one.groups[grouping]]);
  });
}

MaybeForecasts shipped_forecasts(const std::vector<ForecastCase>& cases) {
  return forecasts_of(cases);
}

forecast::CalibrationFactors lesson_of(const std::vector<ForecastCase>& cases,
                                       std::size_t grouping) {
  return factors_from(cases, forecasts_of(cases), grouping);
}

std::vector<Method> forecast_methods(const std::vector<ForecastCase>& cases,
                                     const std::vector<std::string>& groupings,
                                     const std::vector<Lesson>& lessons) {
  const auto forecasts = forecasts_of(cases);
  std::vector<Method> methods{method_of("epochcast", cases, forecasts)};
  for (std::size_t i = 0; i < groupings.size(); ++i) {
    methods.push_back(method_of("epochcast, learnt from other " + groupings[i] + "s", cases,
                                learnt(i, cases, forecasts)));
  }
  for (const auto& lesson : lessons) {
    methods.push_back(method_of("epochcast, learnt from " + lesson.from, cases,
                                each_changed(forecasts, cases, [&](const auto& found, const auto&) {
                                  return forecast::calibrated(found, lesson.factors);
                                })));
  }
  return methods;
}

}  // namespace epochcast::analysis
