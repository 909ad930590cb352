// The shipped widths of forecasts by datasheets, computed again from the data that they are learned
// from.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/validate/pair_intervals.hpp"
#include "src/forecast/device/ratio.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

/// |log error| by pair of devices, each as it is or over the distance of the devices.
std::vector<WeightedValue> errors_of(const std::vector<std::string>& files, bool by_distance) {
  std::vector<WeightedValue> all;
  for (const auto& file : files) {
    const auto csv = CsvFile::read(shared_data(file));
    const auto& format = timing_format_of(csv);
    ExcludedRows excluded;
    const DeviceTimes times(format.read(csv, excluded));
    const auto devices = devices_of(times, format.origin);
    std::map<std::pair<std::string, std::string>, std::vector<double>> errors;
    for (const auto& question : questions_of(times)) {
      if (times.not_device_bound(question.from, question.to, *question.one, devices.by_name)) {
        continue;
      }
      const auto answer = device::tiers::all()
                              .at("specifications")
                              .ratio({.measured = question.one->on(question.from),
                                      .from = devices.by_name.at(question.from),
                                      .to = devices.by_name.at(question.to),
                                      .database = &devices.database});
      const double log_ratio = std::log(std::get<device::Ratio>(answer).value);
      const double error = std::abs(log_ratio - std::log(question.there_s() / question.here_s()));
      const double distance =
          by_distance ? std::sqrt(device::program_distance_floor + std::abs(log_ratio)) : 1;
      errors[std::minmax(question.from, question.to)].push_back(error / distance);
    }
    for (const auto& [pair, values] : errors) {
      for (const double value : values) {
        all.push_back({value, 1 / static_cast<double>(values.size())});
      }
    }
  }
  return all;
}

TEST(LearnedWidths, OfProgramsAreThoseOfTheTrainingsOfGavel) {
  const std::string file = "timing/gavel-throughputs.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto errors = errors_of({file}, true);
  EXPECT_NEAR(device::program_widths.of_80, weighted_quantile(errors, 0.80), 0.005);
  EXPECT_NEAR(device::program_widths.of_95, weighted_quantile(errors, 0.95), 0.005);
}

TEST(LearnedWidths, OfOperatorsAreThoseOfDeepBench) {
  const std::string products = "timing/deepbench-train-fp32-gemm.csv";
  const std::string convolutions = "timing/deepbench-train-fp32-conv.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(products);
  EPOCHCAST_NEEDS_SHARED_DATA(convolutions);
  const auto errors = errors_of({products, convolutions}, false);
  EXPECT_NEAR(device::operator_widths.of_80, weighted_quantile(errors, 0.80), 0.005);
  EXPECT_NEAR(device::operator_widths.of_95, weighted_quantile(errors, 0.95), 0.005);
}

}  // namespace
}  // namespace epochcast::analysis
