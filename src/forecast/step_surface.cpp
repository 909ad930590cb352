#include "src/forecast/step_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/core/statistics.hpp"
#include "src/forecast/prior_constants.hpp"
#include "src/forecast/regression.hpp"
#include "src/forecast/surface_reach.hpp"

namespace epochcast::forecast {
namespace {

/// An interval whose ends differ by more says nothing that a user can plan with.
constexpr double widest_interval = 4;

std::vector<MissedTime> missed_by(const FittedStepLaw& law, const std::vector<SettingTime>& times) {
  std::vector<MissedTime> missed;
  for (const auto& time : times) {
    missed.push_back({time.setting, std::log(time.step_s / law.step_s(time.setting))});
  }
  return missed;
}

/// 0 for rounding errors, so that laws that fit exactly are equal.
double squares_of_missed(const std::vector<MissedTime>& missed) {
  constexpr double rounding = 1e-9;
  double sum = 0;
  for (const auto& one : missed) {
    sum += std::abs(one.log_ratio) < rounding ? 0 : one.log_ratio * one.log_ratio;
  }
  return sum;
}

bool all_above_0(const SettingTime& time) {
  return time.step_s > 0 && std::isfinite(time.step_s) &&
         std::ranges::all_of(dimensions, [&](const Dimension& dimension) {
           const double value = time.setting.*dimension.value;
           return value > 0 && std::isfinite(value);
         });
}

}  // namespace

double SurfaceForecast::low_s(double level) const {
  return step_s / std::exp(deviation * student_reach(level, freedom));
}

double SurfaceForecast::high_s(double level) const {
  return step_s * std::exp(deviation * student_reach(level, freedom));
}

StepSurface::Scatter StepSurface::Scatter::of(const std::vector<double>& errors, double count) {
  const auto all = static_cast<double>(errors.size());
  const double squares = all > 0 ? sum_of_squares(errors) / all * count : 0;
  const double freedom = law_freedom + count;
  return {(law_freedom * law_deviation * law_deviation + squares) / freedom, freedom};
}

StepSurface::Scatter StepSurface::Candidate::scatter() const {
  return Scatter::of(errors, static_cast<double>(errors.size()));
}

double StepSurface::LeftOut::error(const Nearness& nearness) const {
  return std::log(law.step_s(setting)) + nearness.expected(missed, setting) - log_s;
}

StepSurface::StepSurface(std::vector<SettingTime> times) : times_(std::move(times)) {
  for (const auto& time : times_) {
    if (std::ranges::find(settings_, time.setting) == settings_.end()) {
      settings_.push_back(time.setting);
    }
  }
}

StepSurface::LeftOut StepSurface::left_out(
    const StepTerms& terms, const StepSetting& setting,
    const std::function<bool(const StepSetting&)>& is_kept) const {
  std::vector<SettingTime> kept;
  double log_s = 0;
  double runs = 0;
  for (const auto& time : times_) {
    if (time.setting == setting) {
      log_s += std::log(time.step_s);
      ++runs;
    } else if (is_kept(time.setting)) {
      kept.push_back(time);
    }
  }
  auto law = fitted_law(terms, kept);
  auto missed = missed_by(law, kept);
  return {std::move(law), std::move(missed), setting, log_s / runs};
}

std::vector<StepSurface::LeftOut> StepSurface::each_left_out(const StepTerms& terms) const {
  std::vector<LeftOut> all;
  for (const auto& setting : settings_) {
    all.push_back(left_out(terms, setting, [](const StepSetting&) { return true; }));
  }
  return all;
}

/// The errors of the best law if each setting is predicted from those with another value.
StepSurface::Scatter StepSurface::scatter_without_values(const Dimension& dimension) const {
  std::vector<double> errors;
  std::set<double> values;
  for (const auto& setting : settings_) {
    const double own = setting.*dimension.value;
    values.insert(own);
    errors.push_back(left_out(law().terms, setting, [&](const StepSetting& other) {
                       return other.*dimension.value != own;
                     }).error(nearness_));
  }
  return Scatter::of(errors, static_cast<double>(values.size()));
}

/// Of the best law: the errors of the settings, or those without whole values if `asked` has one
/// that was not measured. Two values are too few for these: without one of them nothing varies.
StepSurface::Scatter StepSurface::scatter_at(const StepSetting& asked) const {
  auto widest = candidates_.front().scatter();
  for (const auto& dimension : dimensions) {
    std::set<double> values;
    for (const auto& setting : settings_) {
      values.insert(setting.*dimension.value);
    }
    if (values.size() > 2 && !values.contains(asked.*dimension.value)) {
      const auto scatter = scatter_without_values(dimension);
      widest = scatter.variance > widest.variance ? scatter : widest;
    }
  }
  return widest;
}

std::variant<StepSurface, Refusal> StepSurface::fit(std::vector<SettingTime> times) {
  if (times.empty() || !std::ranges::all_of(times, all_above_0)) {
    return Refusal{times.empty() ? "no step was measured"
                                 : "a setting or the time of a step is not above 0"};
  }
  StepSurface surface(std::move(times));
  const auto count = surface.settings_.size();
  const auto laws = step_laws(surface.settings_, std::max<std::size_t>(2, count - 1));
  std::vector<std::vector<LeftOut>> without_one(laws.size());
  for (std::size_t i = 0; i < laws.size() && count >= 3; ++i) {
    without_one[i] = surface.each_left_out(laws[i]);
  }
  const auto errors_of = [&](std::size_t law, const Nearness& nearness) {
    std::vector<double> errors;
    for (const auto& one : without_one[law]) {
      errors.push_back(one.error(nearness));
    }
    return errors;
  };
  surface.nearness_ = Nearness::best_for(surface.settings_, [&](const Nearness& nearness) {
    double least = sum_of_squares(errors_of(0, nearness));
    for (std::size_t i = 1; i < laws.size(); ++i) {
      least = std::min(least, sum_of_squares(errors_of(i, nearness)));
    }
    return least;
  });
  for (std::size_t i = 0; i < laws.size(); ++i) {
    auto law = fitted_law(laws[i], surface.times_);
    auto missed = missed_by(law, surface.times_);
    surface.candidates_.push_back(
        {std::move(law), std::move(missed), errors_of(i, surface.nearness_)});
  }
  std::ranges::stable_sort(surface.candidates_, {}, [](const Candidate& candidate) {
    return candidate.errors.empty() ? squares_of_missed(candidate.missed)
                                    : candidate.scatter().variance;
  });
  return surface;
}

double StepSurface::corrected_s(const Candidate& candidate, const StepSetting& at) const {
  return candidate.law.step_s(at) * std::exp(nearness_.expected(candidate.missed, at));
}

/// The mean squared distance of the laws from the best one, in logarithms, weighted by how well
/// each of them fits.
double StepSurface::disagreement(const StepSetting& at) const {
  const double best_s = corrected_s(candidates_.front(), at);
  double sum = 0;
  double weights = 0;
  for (const auto& candidate : candidates_) {
    const double weight = 1 / candidate.scatter().variance;
    sum += weight * std::pow(std::log(corrected_s(candidate, at) / best_s), 2);
    weights += weight;
  }
  return sum / weights;
}

std::variant<SurfaceForecast, Refusal> StepSurface::forecast(const StepSetting& asked) const {
  if (!all_above_0({asked, 1})) {
    return Refusal{"a value of the setting is not above 0"};
  }
  if (const auto why = out_of_reach(settings_, asked)) {
    return Refusal{*why};
  }
  const auto& best = candidates_.front();
  const auto scatter = scatter_at(asked);
  const double doublings = std::max(1.0, doublings_beyond(settings_, asked));
  SurfaceForecast found{.step_s = corrected_s(best, asked),
                        .deviation = std::hypot(doublings * std::sqrt(scatter.variance),
                                                std::sqrt(disagreement(asked))),
                        .freedom = scatter.freedom,
                        .law = best.law,
                        .reasons = warnings_beyond(settings_, asked)};
  if (found.high_s(0.80) > widest_interval * found.low_s(0.80)) {
    return Refusal{fmt::format(
        "the runs do not decide between the laws: the 80 % interval would reach from {:.3g} to "
        "{:.3g} s a step; {}",
        found.low_s(0.80), found.high_s(0.80), helpful_run(settings_, asked))};
  }
  return found;
}

}  // namespace epochcast::forecast
