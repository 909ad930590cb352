#include "analysis/validate/datasheet_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/validate/pair_intervals.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::analysis {
namespace {

/// What the datasheets of both devices say.
struct Known {
  device::RatioQuestion asked;
  double ratio = 1;
  double years = 0;
  double octaves = 0;  ///< Of the batch.
};

std::optional<Known> known_of(const DeviceQuestion& question, const FileDevices& devices) {
  const auto asked = ratio_question(question, devices);
  if (asked.from == nullptr || asked.to == nullptr) {
    return std::nullopt;
  }
  const auto precision = device::precision_of_both(asked.measured.precision, *asked.from);
  const auto here = device::specified_rates(*asked.from, precision, devices.database);
  const auto there = device::specified_rates(*asked.to, precision, devices.database);
  if (!here || !there) {
    return std::nullopt;
  }
  return Known{asked, device::geometric_ratio(*here, *there, asked.measured.work),
               device::years_between(*asked.from, *here, *asked.to, *there),
               device::batch_octaves(asked)};
}

/// A question that the device decides, with its |log error|.
struct LearnedCase {
  double distance = 0;  ///< In the unit in which errors grow with the years.
  double octaves = 0;
  double error = 0;
  double weight = 1;  ///< Each pair of devices of a file has the same.
};

std::vector<LearnedCase> cases_of(const CsvFile& file) {
  const auto& format = timing_format_of(file);
  ExcludedRows excluded;
  const DeviceTimes times(format.read(file, excluded));
  const auto devices = devices_of(times, format.origin);
  std::map<std::pair<std::string, std::string>, std::vector<LearnedCase>> pairs;
  for (const auto& question : questions_of(times)) {
    const auto known = known_of(question, devices);
    if (known &&
        !times.not_device_bound(question.from, question.to, *question.one, devices.by_name)) {
      const double ratio = question.there_s() / question.here_s();
      pairs[std::minmax(question.from, question.to)].push_back(
          {std::sqrt(known->years + device::least_years), known->octaves,
           std::abs(std::log(known->ratio / ratio))});
    }
  }
  std::vector<LearnedCase> cases;
  for (auto& [pair, found] : pairs) {
    for (auto& one : found) {
      one.weight = 1 / static_cast<double>(found.size());
      cases.push_back(one);
    }
  }
  if (cases.empty()) {
    throw Error(file.path() + ": no workload that the device decides on two known devices");
  }
  return cases;
}

}  // namespace

device::Widths learned_widths(const std::vector<CsvFile>& files) {
  std::vector<WeightedValue> errors;
  for (const auto& file : files) {
    for (const auto& one : cases_of(file)) {
      errors.push_back({one.error / one.distance, one.weight});
    }
  }
  return {weighted_quantile(errors, 0.80), weighted_quantile(errors, 0.95)};
}

device::Widths learned_batch_widths(const CsvFile& file) {
  const auto beyond = [cases = cases_of(file)](double factor, double probability) {
    std::vector<WeightedValue> values;
    for (const auto& one : cases) {
      if (one.octaves > 0) {
        const double squares = std::pow(one.error, 2) - std::pow(factor * one.distance, 2);
        values.push_back({std::sqrt(std::max(0.0, squares)) / one.octaves});
      }
    }
    return weighted_quantile(std::move(values), probability);
  };
  return {beyond(device::program_widths.of_80, 0.80), beyond(device::program_widths.of_95, 0.95)};
}

Method datasheets_with(const device::Widths& factors, const FileDevices& devices,
                       const std::vector<DeviceQuestion>& questions) {
  const auto predicted =
      [&](const DeviceQuestion& question) -> std::optional<forecast::Prediction> {
    const auto known = known_of(question, devices);
    if (!known) {
      return std::nullopt;
    }
    const auto widths = device::datasheet_widths(known->years, known->asked, factors);
    return forecast::with_log_widths(question.here_s() * known->ratio, widths.of_80, widths.of_95);
  };
  return Rule<DeviceQuestion>{"specifications, widths learnt elsewhere", predicted}.to_all(
      questions);
}

}  // namespace epochcast::analysis
