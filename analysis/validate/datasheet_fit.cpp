#include "analysis/validate/datasheet_fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "analysis/validate/pair_intervals.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::analysis {
namespace {

/// A question of which the datasheets of both devices are known.
struct KnownRates {
  device::Rates from;
  device::Rates to;
  double years = 0;
  const device::MeasuredWork* work = nullptr;

  double ratio(double flops_per_byte) const {
    return device::ratio_of(from, to,
                            device::usual_work(work->precision, work->work, flops_per_byte));
  }
  double distance() const { return std::sqrt(years + device::least_years); }
};

std::optional<KnownRates> rates_of(const DeviceQuestion& question, const FileDevices& devices) {
  const auto* from = devices.by_name.at(question.from);
  const auto* to = devices.by_name.at(question.to);
  if (from == nullptr || to == nullptr) {
    return std::nullopt;
  }
  const auto precision = device::precision_of_both(question.one->measured.precision, *from);
  const auto here = device::sustained_rates(*from, precision, devices.database);
  const auto there = device::sustained_rates(*to, precision, devices.database);
  if (!here || !there) {
    return std::nullopt;
  }
  return KnownRates{*here, *there, device::years_between(*from, *here, *to, *there),
                    &question.one->measured};
}

struct LearnedCase {
  KnownRates known;
  double log_ratio = 0;  ///< As measured.
  double weight = 1;

  double error(double flops_per_byte) const {
    return std::abs(std::log(known.ratio(flops_per_byte)) - log_ratio);
  }
};

/// Of one file; points into its times.
std::vector<LearnedCase> cases_of(const DeviceTimes& times, const FileDevices& devices) {
  std::map<std::pair<std::string, std::string>, std::vector<LearnedCase>> pairs;
  for (const auto& question : questions_of(times)) {
    const auto known = rates_of(question, devices);
    if (known &&
        !times.not_device_bound(question.from, question.to, *question.one, devices.by_name)) {
      pairs[std::minmax(question.from, question.to)].push_back(
          {*known, std::log(question.there_s() / question.here_s())});
    }
  }
  std::vector<LearnedCase> cases;
  for (auto& [pair, found] : pairs) {
    for (auto& one : found) {
      one.weight = 1 / static_cast<double>(found.size());
      cases.push_back(one);
    }
  }
  return cases;
}

double best_flops_per_byte(const std::vector<LearnedCase>& cases) {
  double best = 0;
  double least = HUGE_VAL;
  constexpr int steps = 100;
  for (int i = 0; i <= steps; ++i) {
    const double tried = std::pow(10, 2.0 * i / steps);  // 1 to 100
    double sum = 0;
    for (const auto& one : cases) {
      sum += one.weight * one.error(tried);
    }
    if (sum < least) {
      least = sum;
      best = tried;
    }
  }
  return best;
}

}  // namespace

DatasheetFit fit_datasheets(const std::vector<CsvFile>& files,
                            std::optional<double> flops_per_byte) {
  std::vector<std::unique_ptr<DeviceTimes>> times;
  std::vector<LearnedCase> cases;
  for (const auto& file : files) {
    const auto& format = timing_format_of(file);
    ExcludedRows excluded;
    times.push_back(std::make_unique<DeviceTimes>(format.read(file, excluded)));
    const auto own = cases_of(*times.back(), devices_of(*times.back(), format.origin));
    if (own.empty()) {
      throw Error(file.path() + ": no workload that the device decides on two known devices");
    }
    cases.insert(cases.end(), own.begin(), own.end());
  }
  const double found = flops_per_byte ? *flops_per_byte : best_flops_per_byte(cases);
  std::vector<WeightedValue> errors;
  for (const auto& one : cases) {
    errors.push_back({one.error(found) / one.known.distance(), one.weight});
  }
  return {found, {weighted_quantile(errors, 0.80), weighted_quantile(errors, 0.95)}};
}

Method datasheets_by(const DatasheetFit& fit, const FileDevices& devices,
                     const std::vector<DeviceQuestion>& questions) {
  const auto predicted =
      [&](const DeviceQuestion& question) -> std::optional<forecast::Prediction> {
    const auto known = rates_of(question, devices);
    if (!known) {
      return std::nullopt;
    }
    return forecast::with_log_widths(question.here_s() * known->ratio(fit.flops_per_byte),
                                     known->distance() * fit.widths.of_80,
                                     known->distance() * fit.widths.of_95);
  };
  return Rule<DeviceQuestion>{
      fmt::format("specifications, learnt elsewhere: {:.2g} FLOPs a byte", fit.flops_per_byte),
      predicted}
      .to_all(questions);
}

}  // namespace epochcast::analysis
