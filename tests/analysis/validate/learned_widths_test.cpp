// What forecasts by datasheets have learned, computed again from the data that it is learned from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "analysis/validate/datasheet_fit.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/device/ratio.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

const char* const products = "timing/deepbench-train-fp32-gemm.csv";
const char* const convolutions = "timing/deepbench-train-fp32-conv.csv";
const char* const trainings = "timing/gavel-throughputs.csv";

void expect_near(const device::Widths& shipped, const device::Widths& learned) {
  EXPECT_NEAR(shipped.of_80, learned.of_80, 0.005);
  EXPECT_NEAR(shipped.of_95, learned.of_95, 0.005);
}

TEST(LearnedWidths, OfProgramsAreThoseOfTheTrainingsOfGavel) {
  EPOCHCAST_NEEDS_SHARED_DATA(trainings);
  expect_near(device::program_widths, learned_widths({CsvFile::read(shared_data(trainings))}));
}

TEST(LearnedWidths, OfOperatorsAreThoseOfDeepBench) {
  EPOCHCAST_NEEDS_SHARED_DATA(products);
  EPOCHCAST_NEEDS_SHARED_DATA(convolutions);
  expect_near(device::operator_widths, learned_widths({CsvFile::read(shared_data(products)),
                                                       CsvFile::read(shared_data(convolutions))}));
}

const std::map<std::string, const char*>& mlperf_systems() {
  static const std::map<std::string, const char*> systems{
      {"DSS8440x8xA30-NVBRIDGE", "a30"},
      {"R5500G5-Intelx8A100-SXM-80GB", "a100_sxm4_80gb"},
      {"R5500G5-AMDx8A100-SXM-80GB", "a100_sxm4_80gb"},
      {"DSS8440x8A100-PCIE-40GB", "a100_pcie_40gb"},
      {"ESC8000A-E11-8xA100-PCIE-80GB-NVBridge", "a100_pcie_80gb"},
      {"XE9680x8H100-SXM-80GB", "h100_sxm5"},
      {"1xBM.GPU.H100.8", "h100_sxm5"},
      {"ESC8000A-E12-8xH100-PCIE-80GB", "h100_pcie"},
      {"SR675V3-8xL40S_PCIe_48GB_350W", "l40s"},
      {"PRIMERGY-CDI-L40Sx8", "l40s"}};
  return systems;
}

/// Median epochs but the first of MLPerf runs on eight GPUs of one kind, all of 16 bits.
std::string mlperf_epochs(const std::vector<std::string>& files) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;
  for (const auto& path : files) {
    const auto file = CsvFile::read(shared_data(path));
    for (std::size_t row = 0; row < file.rows(); ++row) {
      const auto found = mlperf_systems().find(file.text(row, "system"));
      const auto& benchmark = file.text(row, "benchmark");
      const bool is_used = benchmark == "resnet" || benchmark == "rnnt" || benchmark == "maskrcnn";
      if (found != mlperf_systems().end() && is_used && file.text(row, "kind") == "epoch" &&
          *file.number(row, "seq") > 1) {
        times[{benchmark, found->second}].push_back(*file.number(row, "dur_s"));
      }
    }
  }
  std::string text = "workload,device,time_ms,precision\n";
  for (const auto& [key, epochs_s] : times) {
    text += fmt::format("{},{},{},fp16\n", key.first, key.second, 1e3 * median_of(epochs_s));
  }
  return text;
}

TEST(LearnedWidths, OfABatchThatMayDifferAreThoseOfMlperf) {
  const std::string older = "timing/mlperf/epochs-v1.0-v2.0.csv.gz";
  const std::string newer = "timing/mlperf/epochs-v4.0.csv.gz";
  EPOCHCAST_NEEDS_SHARED_DATA(older);
  EPOCHCAST_NEEDS_SHARED_DATA(newer);
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", mlperf_epochs({older, newer}));
  expect_near(device::batch_widths, learned_batch_widths(CsvFile::read(folder / "x.csv")));
  const auto table =
      validators::all().at("devices").score(CsvFile::read(folder / "x.csv"), {}).front();
  const double mean = number(table, "specifications", "mean_percent");
  EXPECT_DOUBLE_EQ(number(table, "specifications", "n"), 42 + 12 + 6);
  EXPECT_LT(mean, number(table, "bandwidth ratio", "mean_percent"));
  EXPECT_LT(mean, number(table, "geometric_mean", "mean_percent"));
  EXPECT_NEAR(number(table, "specifications", "covered_80_percent"), 80, 7);
  EXPECT_NEAR(number(table, "specifications", "covered_95_percent"), 95, 2.1);
}

}  // namespace
}  // namespace epochcast::analysis
