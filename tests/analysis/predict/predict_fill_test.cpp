#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/export/exporter.hpp"
#include "src/base/core/text.hpp"
#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

process::CommandResult filled(const std::string& text) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", text);
  return analyze({"predict", folder / "x.csv", "--fill", "--format", "csv"});
}

double forecast_in(const process::CommandResult& answer, const std::string& workload) {
  const auto row = csv_row(answer.out, "workload", workload);
  return row.empty() ? 0 : parse_double(row.at("forecast")).value_or(0);
}

TEST(PredictFill, StepsFromThoseOfTheSameWorkload) {
  std::string text = "workload,batch,step_s\n";
  for (const int batch : {8, 16, 32, 64}) {
    text += fmt::format("a,{0},{1}\nb,{0},{2}\n", batch, 0.01 + 0.001 * batch, 0.1);
  }
  const auto answer = filled(text + "a,128,\nb,128,\nalone,1,\na,none,1\n");
  EXPECT_NEAR(forecast_in(answer, "a"), 0.138, 0.001);
  EXPECT_NEAR(forecast_in(answer, "b"), 0.1, 0.001);
  EXPECT_EQ(csv_row(answer.out, "workload", "alone").at("forecast"), "") << "refused";
  EXPECT_EQ(csv_rows(answer.out).size(), 3);
}

TEST(PredictFill, ThroughputsAndPeaks) {
  const auto more = filled("workload,workers,throughput\na,1,100\na,2,200\na,4,400\na,8,\n");
  EXPECT_NEAR(forecast_in(more, "a"), 800, 1);
  const auto peaks = filled(
      "workload,batch,peak_bytes\na,8,1080000\na,16,1160000\na,32,1320000\na,64,1640000\na,128,\n");
  EXPECT_NEAR(forecast_in(peaks, "a"), 2280000, 30000);
}

TEST(PredictFill, RefusesATableOfNothingItKnows) {
  const auto answer = filled("workload,batch\na,8\n");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("no column step_s, throughput or peak_bytes"));
}

TEST(PredictFill, ReadsWhatExportSettingsWrites) {
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
  auto text = file.text;
  const auto at = text.find("1.1");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(forecast_in(filled(text.erase(at, 3)), "train dcgan"), 1.1, 0.055);
}

}  // namespace
}  // namespace epochcast::analysis
