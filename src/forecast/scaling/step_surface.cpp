#include "src/forecast/scaling/step_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "src/base/core/statistics.hpp"
#include "src/forecast/scaling/last_doubling.hpp"
#include "src/forecast/scaling/surface_reach.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::forecast {
namespace {

/// An interval whose ends differ by more says nothing that a user can plan with.
constexpr double widest_interval = 4;
/// Hundreds of laws over many settings would cost minutes, and all but the best few say nothing.
constexpr std::size_t most_laws = 40;
/// The nearness is chosen by the best of these.
constexpr std::size_t most_likely = 10;
/// Of more, as where nine dimensions vary, not each is fitted without each setting.
constexpr std::size_t most_fitted = 400;

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

/// The laws, without those with a term that gets nothing where all terms are fitted together.
std::vector<StepTerms> worth_fitting(std::vector<StepTerms> laws,
                                     const std::vector<SettingTime>& times) {
  if (laws.size() <= most_fitted) {
    return laws;
  }
  StepTerms all;
  for (const auto& law : laws) {
    std::ranges::copy_if(law, std::back_inserter(all), [&](const StepTerm& term) {
      return std::ranges::find(all, term.name, &StepTerm::name) == all.end();
    });
  }
  NormalEquations sums(all.size());
  for (const auto& row : equations_of(all, times)) {
    sums.add(row);
  }
  const FittedStepLaw whole{all, sums.non_negative(std::vector<double>(all.size(), 1))};
  std::erase_if(laws, [&](const StepTerms& law) {
    return std::ranges::any_of(law.begin() + 1, law.end(), [&](const StepTerm& term) {
      return std::ranges::none_of(
          times, [&](const SettingTime& time) { return whole.part_s(term, time.setting) > 0; });
    });
  });
  return laws;
}

bool all_above_0(const SettingTime& time) {
  return time.step_s > 0 && std::isfinite(time.step_s) &&
         std::ranges::all_of(dimensions, [&](const Dimension& dimension) {
           const double value = time.setting.*dimension.value;
           return value > 0 && std::isfinite(value);
         });
}

}  // namespace

LawError StepSurface::Candidate::error() const {
  // The errors of one kind are alike: together they are worth one.
  return law_error(
      sum_of_squares(errors) / std::max(1.0, static_cast<double>(errors.size())) * kinds,
      errors.empty() ? 0 : kinds);
}

/// Of each setting, in the order of settings_.
struct StepSurface::Fits {
  StepTerms terms;
  std::vector<Equation> rows = {};                ///< Of each time: the amounts over the time.
  std::vector<std::vector<double>> without = {};  ///< The coefficients without the setting,
  std::vector<double> log_ratio = {};             ///< what they miss at it,
  std::vector<std::vector<double>> missed = {};   ///< and at each time of the others; 0 at its own.

  double squares() const { return sum_of_squares(log_ratio); }
};

StepSurface::StepSurface(std::vector<SettingTime> times) : times_(std::move(times)) {
  std::vector<double> runs;
  for (const auto& time : times_) {
    const auto found = std::ranges::find(settings_, time.setting);
    setting_of_.push_back(static_cast<std::size_t>(found - settings_.begin()));
    if (found == settings_.end()) {
      kind_of_.push_back(settings_.size());
      settings_.push_back(time.setting);
      log_s_.push_back(0);
      runs.push_back(0);
    }
    log_s_[setting_of_.back()] += std::log(time.step_s);
    ++runs[setting_of_.back()];
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    log_s_[i] /= runs[i];
  }
}

/// Takes the times of a setting out of the sums of all, and does not sum up the others again.
StepSurface::Fits StepSurface::fits_of(const StepTerms& terms) const {
  Fits fits{.terms = terms, .rows = equations_of(terms, times_)};
  NormalEquations all(terms.size());
  for (const auto& row : fits.rows) {
    all.add(row);
  }
  const auto whole = all.non_negative();
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    auto sums = all;
    for (std::size_t time = 0; time < times_.size(); ++time) {
      if (is_left_out(time, i)) {
        sums.take_out(fits.rows[time]);
      }
    }
    if (!sums.is_precise()) {
      sums = NormalEquations(terms.size());
      for (std::size_t time = 0; time < times_.size(); ++time) {
        if (!is_left_out(time, i)) {
          sums.add(fits.rows[time]);
        }
      }
    }
    fits.without.push_back(sums.non_negative(whole));
    const FittedStepLaw law{terms, fits.without.back()};
    fits.log_ratio.push_back(std::log(law.step_s(settings_[i])) - log_s_[i]);
  }
  return fits;
}

void StepSurface::take_missed(Fits& fits) const {
  for (std::size_t i = 0; i < fits.without.size(); ++i) {
    auto& missed = fits.missed.emplace_back(times_.size());
    for (std::size_t time = 0; time < times_.size(); ++time) {
      missed[time] =
          is_left_out(time, i)
              ? 0
              : -std::log(std::inner_product(fits.without[i].begin(), fits.without[i].end(),
                                             fits.rows[time].begin(), 0.0));
    }
  }
}

/// Rows of weights, one for each setting: of each time of the other settings as a part of all.
std::vector<double> StepSurface::weights_of(const Nearness& nearness) const {
  std::vector<Doublings> places;
  for (const auto& setting : settings_) {
    places.push_back(doublings_of(setting));
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    double sum = 1;
    for (std::size_t time = 0; time < times_.size(); ++time) {
      const auto other = setting_of_[time];
      weights.push_back(is_left_out(time, i) ? 0 : nearness.weight(places[other], places[i]));
      sum += weights.back();
    }
    for (auto weight = weights.end() - std::ssize(times_); weight != weights.end(); ++weight) {
      *weight /= sum;
    }
  }
  return weights;
}

/// Of each setting predicted from the others, in logarithms.
std::vector<double> StepSurface::errors_of(const Fits& fits,
                                           const std::vector<double>& weights) const {
  std::vector<double> errors;
  auto weight = weights.begin();
  for (std::size_t i = 0; i < fits.missed.size(); ++i, weight += std::ssize(times_)) {
    errors.push_back(fits.log_ratio[i] +
                     std::inner_product(fits.missed[i].begin(), fits.missed[i].end(), weight, 0.0));
  }
  return errors;
}

/// The error of the best law at `setting` when predicted from the settings for which `is_kept`.
double StepSurface::error_without(const StepSetting& setting,
                                  const std::function<bool(const StepSetting&)>& is_kept) const {
  std::vector<SettingTime> kept;
  std::ranges::copy_if(times_, std::back_inserter(kept),
                       [&](const SettingTime& time) { return is_kept(time.setting); });
  const auto fitted = fitted_law(law().terms, kept);
  const auto place = std::ranges::find(settings_, setting) - settings_.begin();
  return std::log(fitted.step_s(setting)) + nearness_.expected(missed_by(fitted, kept), setting) -
         log_s_[static_cast<std::size_t>(place)];
}

/// The errors of the best law if each setting is predicted from those with another value.
LawError StepSurface::error_without_values(std::size_t place) const {
  if (without_values_[place]) {
    return *without_values_[place];
  }
  const auto& dimension = dimensions[place];
  std::vector<double> errors;
  std::set<double> values;
  for (const auto& setting : settings_) {
    const double own = setting.*dimension.value;
    values.insert(own);
    errors.push_back(error_without(
        setting, [&](const StepSetting& other) { return other.*dimension.value != own; }));
  }
  // The errors of one value are of one kind: together they are worth one.
  const auto count = static_cast<double>(values.size());
  without_values_[place] =
      law_error(sum_of_squares(errors) / static_cast<double>(errors.size()) * count, count);
  return *without_values_[place];
}

/// Of the best law: the errors of the settings, or those without whole values if `asked` has one
/// that was not measured. Two values are too few for these: without one of them nothing varies.
LawError StepSurface::error_at(const StepSetting& asked) const {
  auto widest = candidates_.front().error();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto& dimension = dimensions[i];
    std::set<double> values;
    for (const auto& setting : settings_) {
      values.insert(setting.*dimension.value);
    }
    if (values.size() > 2 && !values.contains(asked.*dimension.value)) {
      const auto error = error_without_values(i);
      widest = error.variance > widest.variance ? error : widest;
    }
  }
  return widest;
}

std::variant<StepSurface, Refusal> StepSurface::fit(std::vector<SettingTime> times,
                                                    std::string unit) {
  if (times.empty() || !std::ranges::all_of(times, all_above_0)) {
    return Refusal{times.empty() ? "no step was measured"
                                 : "a setting or the time of a step is not above 0"};
  }
  StepSurface surface(std::move(times));
  surface.unit_ = std::move(unit);
  surface.choose_law();
  return surface;
}

void StepSurface::choose_law() {
  const auto count = settings_.size();
  const auto laws =
      worth_fitting(step_laws(settings_, std::max<std::size_t>(2, count - 1)), times_);
  std::vector<Fits> fits;
  for (const auto& law : laws) {
    fits.push_back(count >= 3 ? fits_of(law) : Fits{.terms = law});
  }
  if (fits.size() > most_laws) {
    std::ranges::stable_sort(fits, {}, &Fits::squares);
    fits.resize(most_laws);
    std::ranges::stable_sort(fits, {}, [](const Fits& one) { return one.terms.size(); });
  }
  for (auto& one : fits) {
    take_missed(one);
  }
  std::vector<const Fits*> likely;
  std::ranges::transform(fits, std::back_inserter(likely), [](const Fits& one) { return &one; });
  std::ranges::stable_sort(likely, {}, [](const Fits* one) { return one->squares(); });
  likely.resize(std::min(likely.size(), most_likely));
  nearness_ = Nearness::best_for(settings_, [&](const Nearness& nearness) {
    const auto weights = weights_of(nearness);
    double least = HUGE_VAL;
    for (const auto* one : likely) {
      least = std::min(least, sum_of_squares(errors_of(*one, weights)));
    }
    return least;
  });
  const auto weights = weights_of(nearness_);
  for (const auto& one : fits) {
    auto law = fitted_law(one.terms, times_);
    auto missed = missed_by(law, times_);
    candidates_.push_back({std::move(law), std::move(missed), errors_of(one, weights),
                           static_cast<double>(std::set(kind_of_.begin(), kind_of_.end()).size())});
  }
  std::ranges::stable_sort(candidates_, {}, [](const Candidate& candidate) {
    return candidate.errors.empty() ? squares_of_missed(candidate.missed)
                                    : candidate.error().variance;
  });
}

/// The same with whole layouts left out, if `asked` has one of which no replica was measured, and
/// more than two were; else nullptr. Layouts that differ in replicas alone are nearly alike.
const StepSurface* StepSurface::from_other_layouts(const StepSetting& asked) const {
  std::map<std::array<double, 3>, std::size_t> layouts;
  std::vector<std::size_t> kinds;
  const auto layout_of = [](const StepSetting& at) {
    return std::array{at.tensor, at.pipeline, at.micro_batch};
  };
  for (const auto& setting : settings_) {
    kinds.push_back(layouts.emplace(layout_of(setting), layouts.size()).first->second);
  }
  if (kinds == kind_of_ || layouts.size() < 3 || layouts.contains(layout_of(asked))) {
    return nullptr;
  }
  if (!other_layouts_) {
    StepSurface surface(times_);
    surface.unit_ = unit_;
    surface.kind_of_ = std::move(kinds);
    surface.choose_law();
    other_layouts_ = std::make_shared<const StepSurface>(std::move(surface));
  }
  return other_layouts_.get();
}

double StepSurface::corrected_s(const Candidate& candidate, const StepSetting& at) const {
  return candidate.law.step_s(at) * std::exp(nearness_.expected(candidate.missed, at));
}

std::vector<RivalLaw> StepSurface::rivals_at(const StepSetting& at) const {
  const double best_s = corrected_s(candidates_.front(), at);
  std::vector<RivalLaw> rivals;
  for (const auto& candidate : candidates_) {
    rivals.push_back({std::log(corrected_s(candidate, at) / best_s), candidate.error().variance});
  }
  return rivals;
}

/// The shortest time of a step that the last doubling allows.
struct StepSurface::Shortest {
  double step_s;
  Limit limit;
};

/// None if `asked` has no more of that number, the threads or the workers, than was measured, or
/// that number does not vary alone.
std::optional<StepSurface::Shortest> StepSurface::shortest_at(const StepSetting& asked,
                                                              double StepSetting::*number) const {
  auto at_most = asked;
  at_most.*number = std::ranges::max(settings_, {}, number).*number;
  if (asked.*number <= at_most.*number) {
    return std::nullopt;
  }
  const auto distance = [&](const StepSetting& one) { return squared_doublings(one, at_most); };
  const auto nearest = std::ranges::min(settings_, {}, distance);
  const auto work = [&](double count) { return number == &StepSetting::workers ? count : 1; };
  MeanThroughputs means;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    auto alike = settings_[i];
    alike.*number = nearest.*number;
    if (alike == nearest) {
      means[settings_[i].*number] = work(settings_[i].*number) / std::exp(log_s_[i]);
    }
  }
  if (means.size() < 2 || means.rbegin()->first < at_most.*number) {
    return std::nullopt;
  }
  auto limit = limit_of(means, asked.*number);
  const double more =
      means.rbegin()->second / limit.throughput * work(asked.*number) / work(at_most.*number);
  return Shortest{more * corrected_s(candidates_.front(), at_most), std::move(limit)};
}

std::variant<SurfaceForecast, Refusal> StepSurface::forecast(const StepSetting& asked) const {
  if (!all_above_0({asked, 1})) {
    return Refusal{"a value of the setting is not above 0"};
  }
  if (const auto why = out_of_reach(settings_, asked)) {
    return Refusal{*why};
  }
  if (const auto* layouts = from_other_layouts(asked)) {
    return layouts->forecast(asked);
  }
  const auto& best = candidates_.front();
  const auto error = error_at(asked);
  const double doublings = std::max(1.0, doublings_beyond(settings_, asked));
  const double deviation =
      std::hypot(doublings * std::sqrt(error.variance), std::sqrt(disagreement(rivals_at(asked))));
  double step_s = corrected_s(best, asked);
  auto reasons = warnings_beyond(settings_, asked);
  for (const auto number : {&StepSetting::threads, &StepSetting::workers}) {
    const auto shortest = shortest_at(asked, number);
    if (shortest && shortest->step_s > (1 + shortest->limit.tolerance) * step_s) {
      step_s = shortest->step_s;
      reasons.insert(reasons.begin(), shortest->limit.reason);
    }
  }
  SurfaceForecast found{.step_s = law_prediction(step_s, deviation, error.freedom),
                        .deviation = deviation,
                        .law = best.law,
                        .reasons = std::move(reasons)};
  const auto& [low_s, high_s] = found.step_s.interval_80;
  if (high_s > widest_interval * low_s) {
    return Refusal{fmt::format(
        "the runs do not decide between the laws: the 80 % interval would reach from {:.3g} to "
        "{:.3g} {}; {}",
        low_s, high_s, unit_, helpful_run(settings_, asked))};
  }
  return found;
}

}  // namespace epochcast::forecast
