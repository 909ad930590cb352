#include "analysis/validate/relative_scores.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

namespace epochcast::analysis {
namespace {

using Relatives = std::vector<forecast::ReferenceRun>;
using MaybeFromRelatives = std::vector<std::optional<forecast::FromReferenceRuns>>;
enum class SystemsTaken { all, nearest };
using NameOf = std::function<std::string(const RelatedRun&)>;

/// The runs of each program, but for those of the group that is left out.
class OthersOf {
 public:
  OthersOf(const std::vector<RelatedRun>& runs, NameOf group)
      : runs_(runs), group_(std::move(group)) {}

  const Relatives& operator()(const RelatedRun& run) {
    const auto [found, is_new] = others_.try_emplace({run.program, group_(run)});
    if (is_new) {
      for (const auto& other : runs_) {
        if (other.program == run.program && group_(other) != group_(run)) {
          found->second.push_back(other.whole);
        }
      }
    }
    return found->second;
  }

 private:
  const std::vector<RelatedRun>& runs_;
  NameOf group_;
  std::map<std::pair<std::string, std::string>, Relatives> others_;
};

/// Those on the system whose first epochs took a time most like the run's.
Relatives on_nearest(const Relatives& all, const forecast::RunSeries& seen) {
  const auto count = seen.step_s.size();
  const double here_s = forecast::typical_epoch_s(seen.step_s, count);
  const auto distance = [&](const forecast::ReferenceRun& one) {
    return std::abs(std::log(forecast::typical_epoch_s(one.epoch_s, count) / here_s));
  };
  Relatives nearest;
  if (const auto found = std::ranges::min_element(all, {}, distance); found != all.end()) {
    std::ranges::copy_if(all, std::back_inserter(nearest), [&](const forecast::ReferenceRun& one) {
      return one.system == found->system;
    });
  }
  return nearest;
}

MaybeFromRelatives from_others(const std::vector<ForecastCase>& cases,
                               const std::vector<RelatedRun>& runs, const NameOf& group,
                               const MaybeForecasts& without, SystemsTaken taken) {
  OthersOf others(runs, group);
  MaybeFromRelatives all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& seen = cases[i].seen;
    const auto answer =
        taken == SystemsTaken::all
            ? forecast::forecast_from_reference_runs(seen, others(runs[i]), without[i])
            : forecast::forecast_from_reference_runs(seen, on_nearest(others(runs[i]), seen),
                                                     without[i]);
    const auto* found = std::get_if<forecast::FromReferenceRuns>(&answer);
    all.push_back(found == nullptr ? std::nullopt : std::optional(*found));
  }
  return all;
}

/// The forecasts of those that `wanted`.
template <class Wanted>
MaybeForecasts chosen(const MaybeFromRelatives& all, const Wanted& wanted) {
  MaybeForecasts some;
  for (const auto& one : all) {
    some.push_back(one && wanted(*one) ? std::optional(one->forecast) : std::nullopt);
  }
  return some;
}

/// `values` where there is one of `where`.
MaybeForecasts where_given(MaybeForecasts values, const MaybeForecasts& where) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = where[i] ? values[i] : std::nullopt;
  }
  return values;
}

MaybeForecasts else_given(MaybeForecasts values, const MaybeForecasts& others) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = values[i] ? values[i] : others[i];
  }
  return values;
}

}  // namespace

std::vector<Method> relative_methods(const std::vector<ForecastCase>& cases,
                                     const std::vector<RelatedRun>& runs) {
  const auto without = shipped_forecasts(cases);
  std::vector<Method> methods;
  const auto add = [&](const std::string& name, const MaybeForecasts& forecasts) {
    methods.push_back(method_of(name, cases, forecasts));
  };
  const auto score = [&](const std::string& others, const NameOf& group) {
    const auto all = from_others(cases, runs, group, without, SystemsTaken::all);
    const auto used = chosen(all, [](const auto&) { return true; });
    const auto agreeing = chosen(all, [](const auto& one) { return one.agree; });
    const auto name = "relatives, other " + others;
    add(name, used);
    constexpr std::size_t benchmark = 1;  // of ForecastCase::groups
    if (!cases.empty() && cases.front().groups.size() > benchmark) {
      add(name + ", learnt from other benchmarks", learnt(benchmark, cases, used));
    }
    add("  without, the same runs (other " + others + ")", where_given(without, used));
    add(name + ", that agree", agreeing);
    add("  without, the same runs (other " + others + ", that agree)",
        where_given(without, agreeing));
    add(name + ", else without", else_given(used, without));
  };
  const NameOf system = [](const RelatedRun& run) { return run.whole.system; };
  score("systems", system);
  score("submitters", [](const RelatedRun& run) { return run.submitter; });
  const auto one = chosen(from_others(cases, runs, system, without, SystemsTaken::nearest),
                          [](const auto&) { return true; });
  add("relatives, one other system", one);
  add("  without, the same runs (one other system)", where_given(without, one));
  return methods;
}

}  // namespace epochcast::analysis
