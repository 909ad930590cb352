#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A profile of 10 s: products for 6 s, copies for 3 s, a view for the rest.
record::Record counted_profile(const std::string& gpu = "") {
  auto record = made_record({.gpu = gpu});
  auto& profile = record.profile.emplace_back();
  profile.covers = "2 steps";
  profile.device = gpu.empty() ? "cpu" : "cuda";
  profile.steps = 2;
  profile.wall_s = 10;
  profile.self_cpu_s = 9.5;
  record.operators = {
      {.name = "aten::copy_",
       .place = "host",
       .calls = 4,
       .self_cpu_s = 3,
       .cpu_total_s = 3,
       .bytes = 15e9,
       .work_s = 3},
      {.name = "aten::mm",
       .place = "host",
       .calls = 2,
       .self_cpu_s = 6,
       .cpu_total_s = 6,
       .flops = 300e9,
       .bytes = 1e9,
       .work_s = 6},
      {.name = "aten::view", .place = "host", .calls = 9, .self_cpu_s = 0.5, .cpu_total_s = 0.5}};
  return record;
}

/// As measure-device writes it: 100 GFLOP/s and 10 GB/s.
std::string write_measured(const TemporaryFolder& folder) {
  const auto path = folder / "here.yaml";
  set_bytes(path,
            "label: this machine, 2 threads\nnames: [made]\nsource: made in a test\nfigures:\n"
            "  achieved_fp32_tflops: 0.1\n  achieved_bandwidth_gb_s: 10\n");
  return path;
}

TEST(RooflineTable, ComparesEachOperatorWithWhatTheDeviceAchieves) {
  const TemporaryFolder folder;
  const auto tables = tables::all()
                          .at("roofline")
                          .make({loaded(counted_profile())}, {.device = write_measured(folder)});
  const auto& table = part_of(tables, "roofline");
  EXPECT_THAT(column_of(table, "name"), ElementsAre("aten::mm", "aten::copy_"));
  EXPECT_THAT(column_of(table, "gflop_s"), ElementsAre("50.00", ""));
  EXPECT_THAT(column_of(table, "gb_s"), ElementsAre("0.17", "5.00"));
  EXPECT_THAT(column_of(table, "flop_per_byte"), ElementsAre("300.00", ""));
  EXPECT_THAT(column_of(table, "limit"), ElementsAre("arithmetic", "memory"));
  EXPECT_THAT(column_of(table, "roof_percent"), ElementsAre("50.0", "50.0"));
  EXPECT_THAT(column_of(table, "time_percent"), ElementsAre("60.0", "30.0"));
}

TEST(RooflineTable, SaysWhatBoundsTheRun) {
  const TemporaryFolder folder;
  const auto tables = tables::all()
                          .at("roofline")
                          .make({loaded(counted_profile())}, {.device = write_measured(folder)});
  EXPECT_THAT(tables.front().notes,
              Contains(HasSubstr("limited by arithmetic took 60.0 %, by memory 30.0 %, by neither "
                                 "0.0 %; 10.0 % is in no operator with counted work. At the roof "
                                 "all of it would take 55.0 %")));
}

TEST(RooflineTable, HasATableOfTheOperatorsWithArithmeticForThePicture) {
  const TemporaryFolder folder;
  const auto tables = tables::all()
                          .at("roofline")
                          .make({loaded(counted_profile())}, {.device = write_measured(folder)});
  const auto& plot = part_of(tables, "roofline_plot");
  EXPECT_THAT(column_of(plot, "roof_gflop_s"), ElementsAre("100.000"));
}

TEST(RooflineTable, TakesTheGpuOfTheRecordFromTheDatabase) {
  auto record = counted_profile("Tesla V100-SXM2-16GB");
  record.profile.front().self_device_s = 9;
  const auto tables = tables::all().at("roofline").make({loaded(record)}, {});
  EXPECT_THAT(part_of(tables, "roofline").title, HasSubstr("V100"));
}

TEST(RooflineTable, RefusesWhatItCannotCompare) {
  const auto refusal = [](const LoadedRecord& record) {
    return error_of([&] { (void)tables::all().at("roofline").make({record}, {}); });
  };
  EXPECT_THAT(refusal(loaded(counted_profile())), HasSubstr("give --device FILE"));
  EXPECT_THAT(refusal(loaded(made_record({}))), HasSubstr("profile_flops=true"));
}

}  // namespace
}  // namespace epochcast::analysis
