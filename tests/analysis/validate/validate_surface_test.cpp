// validate surface: steps at settings that were left out, of made files and of measured data.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/export/exporter.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/csv_rows.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

std::vector<table::Table> surface_scores(const std::string& path) {
  return validators::all().at("surface").score(CsvFile::read(path), {});
}

TEST(ValidateSurface, FollowsALawThatTheSimpleRulesDoNot) {
  const TemporaryFolder folder;
  std::string text = "workload,batch,threads,step_s\n";
  for (const int batch : {16, 32, 64, 128}) {
    for (const int threads : {1, 2, 4}) {
      text += fmt::format("made,{},{},{}\n", batch, threads, 0.02 + 0.001 * batch / threads);
    }
  }
  set_bytes(folder / "x.csv", text + "made,none,1,1\n");
  const auto tables = surface_scores(folder / "x.csv");
  const auto& settings = part_of(tables, "surface_setting");
  EXPECT_EQ(number(settings, "epochcast", "n"), 12);
  EXPECT_LT(number(settings, "epochcast", "mean_percent"), 0.1);
  EXPECT_EQ(number(settings, "epochcast", "covered_80_percent"), 100);
  EXPECT_GT(number(settings, "nearest setting", "mean_percent"), 10);
  EXPECT_THAT(settings.notes, testing::Contains(HasSubstr("1 row left out; the first: ")));
  const auto& values = part_of(tables, "surface_value");
  EXPECT_THAT(column_of(values, "what"),
              testing::IsSupersetOf({"batch size", "number of CPUs per process"}));
  EXPECT_THAT(values.title, HasSubstr("24 questions"));
  const auto& largest = part_of(tables, "surface_largest");
  EXPECT_EQ(number(largest, "epochcast", "n"), 1);
  EXPECT_LT(number(largest, "epochcast", "mean_percent"), 1);
}

TEST(ValidateSurface, RefusesAFileWithoutEnoughSettings) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", "workload,batch,step_s\nmade,1,1\nmade,2,1\nmade,4,1\n");
  EXPECT_THROW(surface_scores(folder / "x.csv"), Error);
  set_bytes(folder / "y.csv", "workload,batch\nmade,1\n");
  EXPECT_THROW(surface_scores(folder / "y.csv"), Error);
}

TEST(ValidateSurface, ReadsWhatExportSettingsWrites) {
  std::vector<LoadedRecord> records;
  for (const std::int64_t batch : {100, 200, 250, 500}) {
    auto record = made_record({.epochs = 2, .batch = batch});
    record.work.front().iterations_per_epoch = 1000 / batch;
    record.work.front().flops_per_sample = 1e6;
    for (auto& epoch : record.epochs) {
      epoch.wall_s = static_cast<double>(1000 / batch) * (0.1 + 0.01 * static_cast<double>(batch));
    }
    records.push_back(loaded(record));
  }
  const auto file = exporters::all().at("settings").make(records).at(0);
  EXPECT_EQ(file.name, "settings.csv");
  const auto row = csv_row(file.text, "batch", "100");
  EXPECT_EQ(row.at("workload"), "train dcgan");
  EXPECT_EQ(row.at("device"), "cpu");
  EXPECT_EQ(row.at("input_length"), "1");
  EXPECT_EQ(row.at("flops"), "1e+06");
  EXPECT_EQ(row.at("layers"), "1");
  EXPECT_EQ(row.at("threads"), "2");
  EXPECT_EQ(row.at("workers"), "1");
  EXPECT_EQ(row.at("nodes"), "1");
  EXPECT_EQ(row.at("step_s"), "1.1");
  const TemporaryFolder folder;
  set_bytes(folder / file.name, file.text);
  const auto tables = surface_scores(folder / file.name);
  const auto& settings = part_of(tables, "surface_setting");
  EXPECT_EQ(number(settings, "epochcast", "n"), 4);
  EXPECT_LT(number(settings, "epochcast", "mean_percent"), 5);
}

// The published study of depth: twelve networks on a CPU and a GPU, each from the other eleven.
TEST(ValidateSurface, ForecastsTheNetworksOfAPublishedSweep) {
  const TemporaryFolder folder;
  std::vector<LoadedRecord> records;
  for (auto& record : importers::all().at("published").read("depth_sweep", {}).records) {
    records.push_back(loaded(record));
  }
  ASSERT_EQ(records.size(), 24);
  const auto file = exporters::all().at("settings").make(records).at(0);
  set_bytes(folder / file.name, file.text);
  const auto tables = surface_scores(folder / file.name);
  const auto& settings = part_of(tables, "surface_setting");
  EXPECT_EQ(number(settings, "epochcast", "n") + number(settings, "epochcast", "refused"), 24);
  EXPECT_LT(number(settings, "epochcast", "median_percent"),
            number(settings, "nearest setting", "median_percent"));
}

// Throughputs by batch size and number of GPUs. Only the form of the weights of neighbours was
// chosen with these scores in view (docs/explanation/forecasts.md).
TEST(ValidateSurface, BeatsTheSimpleRulesOnMeasuredBatchSizesAndWorkers) {
  const std::string path = "timing/gavel-throughputs.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(path);
  const auto tables = surface_scores(shared_data(path));
  const auto& scores = part_of(tables, "surface_setting");
  const double ours = number(scores, "epochcast", "mean_percent");
  EXPECT_LT(ours, number(scores, "nearest setting", "mean_percent"));
  EXPECT_LT(ours, number(scores, "nearest setting, by its work", "mean_percent"));
  EXPECT_LT(ours, number(scores, "line through the two nearest", "mean_percent"));
  EXPECT_GT(number(scores, "epochcast", "covered_80_percent"), 75);
  EXPECT_GT(number(scores, "epochcast", "covered_95_percent"), 90);
}

}  // namespace
}  // namespace epochcast::analysis
