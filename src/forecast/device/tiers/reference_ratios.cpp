// Ratios of other workloads that were measured on both devices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/forecast/device/neighbours.hpp"
#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace reference_ratios_tier {

constexpr std::size_t fewest = 3;  // fewer do not show how workloads differ

/// Median ratios of other workloads are 10 to 20 % off (`tests/bench/score.py BUILD devices`). This
/// is the middle, used if there are too few references for a better estimate.
constexpr double mean_error_of_few = 0.15;

std::string precision_of(const MeasuredWork& work) {
  return work.precision.empty() ? "fp32" : work.precision;
}

/// The coordinates of a workload before it runs on another device, as logarithms: its time on the
/// source device and, if the workload was counted, the two axes of the roofline model (Williams et
/// al. 2009), FLOPs per byte and FLOPs per second on the source device.
KnownCase case_of(const MeasuredWork& work, bool counted) {
  KnownCase known{.place = {std::log(work.time_s)}, .group = work.workload, .kind = work.kind};
  if (counted) {
    known.place.push_back(std::log(work.work.flops / work.work.bytes));
    known.place.push_back(std::log(work.work.flops / work.time_s));
  }
  return known;
}

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  const auto& measured = question.measured;
  std::vector<Reference> usable;
  std::copy_if(question.references.begin(), question.references.end(), std::back_inserter(usable),
               [&](const Reference& reference) {
                 return precision_of(reference.on_source) == precision_of(measured);
               });
  if (usable.size() < fewest) {
    return NoRatio{fmt::format("{} other workloads measured on both devices, {} are needed",
                               usable.size(), fewest)};
  }
  const bool counted = measured.work.whole() &&
                       std::all_of(usable.begin(), usable.end(), [](const Reference& reference) {
                         return reference.on_source.work.whole();
                       });
  std::vector<KnownCase> known;
  std::set<std::string> groups;
  for (const auto& reference : usable) {
    known.push_back(case_of(reference.on_source, counted));
    known.back().value = std::log(reference.ratio);
    groups.insert(reference.on_source.workload);
  }
  if (groups.size() < 2 && !groups.contains(measured.workload)) {
    return NoRatio{"the workloads measured on both devices are all of one kind"};
  }
  const auto few = with_normal_error(1, mean_error_of_few, "");
  const auto forecast = nearest_forecast(known, case_of(measured, counted),
                                         {.width_80 = few.width_80, .width_95 = few.width_95});
  return Ratio{std::exp(forecast.value), forecast.width_80, forecast.width_95,
               fmt::format("median of the {} nearest of {} other workloads measured on both",
                           forecast.neighbours, usable.size())};
}

}  // namespace reference_ratios_tier

TierSpec reference_ratios() {
  return {
      .rank = 1,
      .summary = "ratios of other workloads measured on both devices",
      .measured_error =
          "11 % on DeepBench's matrix products and 16 % on its convolutions, each workload left "
          "out; on Gavel's trainings 19 % from other batch sizes, 25 % from other "
          "models",
      .ratio = reference_ratios_tier::ratio};
}

}  // namespace epochcast::device::tiers
