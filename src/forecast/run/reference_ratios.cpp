#include "src/forecast/run/reference_ratios.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/run_length.hpp"

namespace epochcast::forecast {

double typical_epoch_s(const std::vector<double>& epoch_s, std::size_t count) {
  const auto first = count == 1 ? 0 : std::max<std::size_t>(1, count / 2);
  return median_of({epoch_s.begin() + static_cast<std::ptrdiff_t>(first),
                    epoch_s.begin() + static_cast<std::ptrdiff_t>(count)});
}

std::size_t gaps_ended(const RunSeries& seen) {
  return std::min(seen.gaps_s.size(), seen.step_s.size() - 1);
}

namespace {

/// What a reference run took after so many epochs and gaps, if it is to have so many epochs.
struct RelativeRest {
  double epochs_s = 0;
  double others_s = 0;  ///< Gaps, and what follows the last epoch.

  double all_s() const { return epochs_s + others_s; }
};

/// The sum of the values from `first` on, `wanted` of them; `typical` where there are fewer.
double sum_between(const std::vector<double>& values, std::size_t first, std::size_t wanted,
                   double typical) {
  const auto there = std::clamp(wanted, std::min(first, values.size()), values.size());
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(std::min(first, there));
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(there);
  const auto missing = wanted - std::min(wanted, std::max(first, there));
  return std::accumulate(begin, end, 0.0) + static_cast<double>(missing) * typical;
}

double typical_of(const std::vector<double>& values) {
  return values.empty() ? 0 : typical_epoch_s(values, values.size());
}

RelativeRest rest_in(const ReferenceRun& reference, const RunSeries& seen) {
  const auto epochs = static_cast<std::size_t>(seen.epochs);
  const double typical_s = typical_of(reference.epoch_s);
  RelativeRest rest{
      .epochs_s = sum_between(reference.epoch_s, seen.step_s.size(), epochs, typical_s) -
                  seen.unfinished * typical_s,
      .others_s = reference.end_s};
  if (!reference.gaps_s.empty()) {
    rest.others_s +=
        sum_between(reference.gaps_s, gaps_ended(seen), epochs - 1, typical_of(reference.gaps_s));
  }
  return rest;
}

/// Without the last epoch if the run stopped within it.
ReferenceRun without_cut_epoch(ReferenceRun reference) {
  if (ends_within_last(reference.epoch_s)) {
    reference.epoch_s.pop_back();
    if (!reference.gaps_s.empty()) {
      reference.gaps_s.pop_back();
    }
  }
  return reference;
}

/// 1: as fast, and the same course so far; toward 0 the more they differ.
double closeness(const std::vector<double>& seen_s, const std::vector<double>& relative_s) {
  const auto count = seen_s.size();
  double distance =
      square(std::log(typical_epoch_s(seen_s, count) / typical_epoch_s(relative_s, count)) /
             machine_tolerance);
  for (std::size_t i = 1; i < count; ++i) {
    const double here = std::log(seen_s[i] / seen_s[i - 1]);
    const double there = std::log(relative_s[i] / relative_s[i - 1]);
    distance += square((here - there) / epoch_tolerance);
  }
  return 1 / square(1 + distance / 3);
}

}  // namespace

std::vector<ReferenceRatio> reference_ratios(const RunSeries& seen,
                                             const std::vector<ReferenceRun>& reference_runs) {
  const auto count = seen.step_s.size();
  std::map<std::string, std::vector<ReferenceRatio>> systems;
  for (const auto& one : reference_runs) {
    const auto reference = seen.unfinished > 0 ? without_cut_epoch(one) : one;
    if (reference.epoch_s.size() <= count || std::ranges::min(reference.epoch_s) <= 0) {
      continue;
    }
    const auto rest = rest_in(reference, seen);
    const double scale_s = typical_epoch_s(reference.epoch_s, count);
    if (rest.all_s() > 0) {
      systems[reference.system].push_back({.log_ratio = std::log(rest.all_s() / scale_s),
                                           .weight = closeness(seen.step_s, reference.epoch_s),
                                           .epochs_share = rest.epochs_s / rest.all_s()});
    }
  }
  std::vector<ReferenceRatio> all;
  for (const auto& [name, runs] : systems) {
    ReferenceRatio mean;
    const double share = 1 / static_cast<double>(runs.size());
    for (const auto& run : runs) {
      mean.log_ratio += share * run.log_ratio;
      mean.weight += share * run.weight;
      mean.epochs_share += share * run.epochs_share;
    }
    all.push_back(mean);
  }
  std::ranges::sort(all, {}, &ReferenceRatio::log_ratio);
  return all;
}

}  // namespace epochcast::forecast
