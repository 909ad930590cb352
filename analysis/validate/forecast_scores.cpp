#include "analysis/validate/forecast_scores.hpp"

#include <map>
#include <set>

namespace epochcast::analysis {
namespace {

/// By the model alone.
MaybeForecasts forecasts_of(const std::vector<ForecastCase>& cases) {
  MaybeForecasts forecasts;
  for (const auto& one : cases) {
    const auto answer = forecast::model_forecast(one.seen);
    const auto* found = std::get_if<forecast::Forecast>(&answer);
    forecasts.push_back(found == nullptr ? std::nullopt : std::optional(*found));
  }
  return forecasts;
}

forecast::PastForecast past_of(const forecast::Forecast& forecast, double actual_s) {
  return {forecast.total_s, actual_s, forecast.well_behaved};
}

/// What the forecasts of all other groups teach.
forecast::CalibrationFactors factors_without(const std::string& group, std::size_t grouping,
                                             const std::vector<ForecastCase>& cases,
                                             const MaybeForecasts& forecasts) {
  std::vector<forecast::PastForecast> past;
  std::set<std::string> groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].groups[grouping] != group && cases[i].teaches && forecasts[i]) {
      past.push_back(past_of(*forecasts[i], cases[i].actual_s));
      groups.insert(cases[i].groups[grouping]);
    }
  }
  return forecast::for_new_group(forecast::calibration_from(past), groups.size());
}

MaybeForecasts all_calibrated(MaybeForecasts forecasts,
                              const forecast::CalibrationFactors& factors) {
  for (auto& one : forecasts) {
    if (one) {
      one = forecast::calibrated(*one, factors);
    }
  }
  return forecasts;
}

MaybeForecasts shipped(const std::vector<ForecastCase>& cases, MaybeForecasts forecasts) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (forecasts[i]) {
      forecasts[i] = forecast::as_shipped(*forecasts[i], cases[i].seen);
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
      by_group[group] = factors_without(group, grouping, cases, forecasts);
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (forecasts[i]) {
      forecasts[i] = forecast::calibrated(*forecasts[i], by_group[cases[i].groups[grouping]]);
    }
  }
  return forecasts;
}

MaybeForecasts shipped_forecasts(const std::vector<ForecastCase>& cases) {
  return shipped(cases, forecasts_of(cases));
}

forecast::CalibrationFactors lesson_of(const std::vector<ForecastCase>& cases) {
  const auto forecasts = forecasts_of(cases);
  std::vector<forecast::PastForecast> past;
  std::set<std::string> benchmarks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].teaches && forecasts[i]) {
      past.push_back(past_of(*forecasts[i], cases[i].actual_s));
      benchmarks.insert(cases[i].groups.back());
    }
  }
  return forecast::for_new_group(forecast::calibration_from(past), benchmarks.size());
}

std::vector<Method> forecast_methods(const std::vector<ForecastCase>& cases,
                                     const std::vector<std::string>& groupings,
                                     const std::vector<Lesson>& lessons) {
  const auto forecasts = forecasts_of(cases);
  std::vector<Method> methods{method_of("epochcast", cases, shipped(cases, forecasts))};
  for (std::size_t i = 0; i < groupings.size(); ++i) {
    methods.push_back(method_of("epochcast, learnt from other " + groupings[i] + "s", cases,
                                learnt(i, cases, forecasts)));
  }
  for (const auto& lesson : lessons) {
    methods.push_back(method_of("epochcast, learnt from " + lesson.from, cases,
                                all_calibrated(forecasts, lesson.factors)));
  }
  return methods;
}

}  // namespace epochcast::analysis
