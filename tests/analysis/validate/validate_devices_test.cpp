// validate devices: on times made here, whose answer is known, and on measured data where it is at
// hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/validate/validator.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<table::Table> scored(const std::string& path) {
  return validators::all().at("devices").score(CsvFile::read(path), {});
}

const std::string workload_out = "reference_ratios (workload left out)";
const std::string from_other_pairs = ", intervals learnt from other pairs";
const std::string batch_out = "reference_ratios (batch size left out)";

TEST(ValidateDevices, FindsARatioThatAllWorkloadsShare) {
  const TemporaryFolder folder;
  std::string text = "workload,device,time_ms\n";
  for (const auto* workload : {"a", "b", "c", "d", "e"}) {
    text += std::string(workload) + ",T4,30\n" + workload + ",V100,10\n";
  }
  set_bytes(folder / "x.csv", text);
  const auto tables = scored(folder / "x.csv");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_DOUBLE_EQ(number(tables[0], workload_out, "n"), 10);
  EXPECT_NEAR(number(tables[0], workload_out, "max_percent"), 0, 1e-9);
  EXPECT_NEAR(number(tables[0], "flops_ratio", "max_percent"), 100 * (3 * 8.1 / 15.7 - 1), 1e-6);
  EXPECT_NEAR(number(tables[0], "bandwidth ratio", "max_percent"), 100 * (3 * 320.0 / 900 - 1),
              1e-6);
  EXPECT_NEAR(number(tables[0], "the same time", "max_percent"), 200, 1e-9);
}

TEST(ValidateDevices, ScoresWhatAMethodAnsweredAndCountsItsRefusals) {
  const TemporaryFolder folder;
  std::string text = "workload,device,time_ms\n";
  for (const auto* workload : {"a", "b", "c", "d", "e"}) {
    text += std::string(workload) + ",T4,30\n" + workload + ",V100,10\n" + workload + ",own,20\n";
  }
  set_bytes(folder / "x.csv", text);
  const auto table = scored(folder / "x.csv").front();
  EXPECT_DOUBLE_EQ(number(table, "specifications", "n"), 10);
  EXPECT_DOUBLE_EQ(number(table, "specifications", "refused"), 20) << "of a device not known";
  EXPECT_EQ(
      std::ranges::count_if(
          table.rows, [](const auto& row) { return row[0] == table::Cell("specifications"); }),
      1)
      << "no rule of another method stands in for what it refused";
}

/// The half-width of 95 % by datasheets of workloads that took `times` on both devices.
double datasheet_width(const std::string& head, const std::string& here, const std::string& there) {
  const TemporaryFolder folder;
  std::string text = "workload,device,time_ms" + head + "\n";
  for (const auto* workload : {"a", "b", "c"}) {
    text += std::string(workload) + "," + here + "\n" + workload + "," + there + "\n";
  }
  set_bytes(folder / "x.csv", text);
  const auto table = scored(folder / "x.csv").front();
  EXPECT_DOUBLE_EQ(number(table, "specifications", "n"), 6);
  EXPECT_NEAR(number(table, "the same time", "max_percent"), 300, 1e-9) << "4 times as fast";
  return number(table, "specifications", "half_width_95_percent");
}

TEST(ValidateDevices, IsWiderWhereTheBatchIsAnotherOrNotStated) {
  const double same = datasheet_width(",batch", "RTX 3060,80,64", "A100-SXM4-80GB,20,64");
  const double other = datasheet_width(",batch", "RTX 3060,80,64", "A100-SXM4-80GB,80,256");
  const double unknown = datasheet_width("", "RTX 3060,80", "A100-SXM4-80GB,20");
  EXPECT_GT(other, 1.1 * same) << "of a sample";
  EXPECT_GT(unknown, 1.05 * same) << "12 and 80 GB";
  EXPECT_NEAR(datasheet_width("", "RTX 3090,80", "RTX 4090,20"),
              datasheet_width(",batch", "RTX 3090,80,8", "RTX 4090,20,8"), 1e-9)
      << "the same memory";
}

TEST(ValidateDevices, LearnsWidthsFromAnotherFile) {
  const TemporaryFolder folder;
  set_bytes(folder / "old.csv", "workload,device,time_ms,batch\na,T4,90,8\na,V100,3,8\n");
  set_bytes(folder / "new.csv", "workload,device,time_ms,batch\nb,T4,30,8\nb,V100,10,8\n");
  const auto table =
      validators::all()
          .at("devices")
          .score(CsvFile::read(folder / "new.csv"), {.learn = {CsvFile::read(folder / "old.csv")}})
          .front();
  const std::string learned = "specifications, widths learnt elsewhere";
  EXPECT_DOUBLE_EQ(number(table, learned, "mean_percent"),
                   number(table, "specifications", "mean_percent"));
  EXPECT_GT(number(table, learned, "half_width_95_percent"),
            2 * number(table, "specifications", "half_width_95_percent"))
      << "30 times as fast there";
}

TEST(ValidateDevices, RefusesAFileWithoutPairs) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", "workload,device,time_ms\na,T4,30\nb,V100,30\n");
  EXPECT_THAT(error_of([&] { scored(folder / "x.csv"); }),
              HasSubstr("no workload was measured on two devices"));
}

/// Mean and 90th percentile of datasheets alone are below each of the plain rules'.
void expect_below_plain_rules(const table::Table& table) {
  for (const auto* key : {"mean_percent", "p90_percent"}) {
    for (const auto* rival : {"flops_ratio", "bandwidth ratio", "geometric_mean"}) {
      EXPECT_LT(number(table, "specifications", key), number(table, rival, key))
          << key << " " << rival;
    }
  }
}

void expect_honest_intervals(const table::Table& table, const std::string& method) {
  EXPECT_GE(number(table, method, "covered_80_percent"), 76) << method;
  EXPECT_LE(number(table, method, "covered_80_percent"), 90) << method;
  EXPECT_GE(number(table, method, "covered_95_percent"), 92) << method;
  EXPECT_LE(number(table, method, "covered_95_percent"), 98) << method;
}

// Slow: a minute of computing under sanitizers.
TEST(SlowValidateDevices, MatrixProductsOfDeepBench) {
  const std::string file = "timing/deepbench-train-fp32-gemm.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto table = scored(shared_data(file)).front();
  EXPECT_DOUBLE_EQ(number(table, workload_out, "n"), 960);
  EXPECT_NEAR(number(table, "flops_ratio", "mean_percent"), 46.1,
              0.05);  // as computed by others before
  EXPECT_LE(number(table, workload_out, "mean_percent"), 13);
  expect_below_plain_rules(table);
  expect_honest_intervals(table, workload_out);
  expect_honest_intervals(table, "specifications");
  expect_honest_intervals(table, "specifications" + from_other_pairs);
  EXPECT_LT(number(table, "specifications", "mean_percent"),
            number(table, "datasheets weighted by counted FLOPs and bytes", "mean_percent"));
}

TEST(SlowValidateDevices, ConvolutionsOfDeepBench) {
  const std::string file = "timing/deepbench-train-fp32-conv.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto table = scored(shared_data(file)).front();
  EXPECT_DOUBLE_EQ(number(table, workload_out, "n"), 1480);
  EXPECT_NEAR(number(table, "flops_ratio", "mean_percent"), 30.8, 0.05);
  EXPECT_LE(number(table, workload_out, "mean_percent"), 16);
  expect_below_plain_rules(table);
  expect_honest_intervals(table, workload_out);
  expect_honest_intervals(table, "specifications");
  expect_honest_intervals(table, "specifications" + from_other_pairs);
  EXPECT_LT(number(table, "specifications", "mean_percent"),
            number(table, "datasheets weighted by counted FLOPs and bytes", "mean_percent"));
}

TEST(ValidateDevices, TrainingsOfGavelWithTheHostBoundOnesFlagged) {
  const std::string file = "timing/gavel-throughputs.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto tables = scored(shared_data(file));
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_DOUBLE_EQ(number(tables[0], batch_out, "n") + number(tables[2], batch_out, "n"), 26 * 6);
  expect_below_plain_rules(tables[0]);
  for (const auto& method : {workload_out, batch_out, std::string("specifications")}) {
    expect_honest_intervals(tables[0], method);
    expect_honest_intervals(tables[0], method + from_other_pairs);
  }
  for (const auto* workload :
       {"Recommendation at 512: 6 rows", "Recommendation at 8192: 6 rows",
        "ResNet-18 at 16: 6 rows", "ResNet-18 at 32: 6 rows", "Transformer at 256: 2 rows"}) {
    EXPECT_THAT(tables[2].notes, Contains(HasSubstr(workload)));
  }
}

}  // namespace
}  // namespace epochcast::analysis
