#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// The published tables by model and device, through files.
std::vector<table::Table> published_operators() {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read("operators", {}).records, folder.path());
  return tables::all().at("operators").make(record::load_records({folder.path()}).records, {});
}

const table::Table& published(const std::vector<table::Table>& tables, const std::string& model,
                              const std::string& device) {
  static const table::Table none;
  for (const auto& table : tables) {
    if (table.title.find(model + " on " + device) != std::string::npos) {
      return table;
    }
  }
  ADD_FAILURE() << "no table of " << model << " on " << device;
  return none;
}

TEST(OperatorsTable, ReplaysTheSixPublishedTablesToTheDigit) {
  const auto tables = published_operators();
  ASSERT_EQ(tables.size(), 6U);
  const auto& roberta_cuda = published(tables, "roberta", "cuda");
  EXPECT_THAT(column_of(roberta_cuda, "name"),
              ElementsAre("aten::copy_", "aten::addmm", "Optimizer.step#AdamW.step", "aten::mm",
                          "aten::bmm"));
  EXPECT_THAT(column_of(roberta_cuda, "self_device_s"),
              ElementsAre("845.070ms", "257.530ms", "191.690ms", "66.020ms", "47.140ms"));
  EXPECT_THAT(column_of(roberta_cuda, "device_total_s"),
              ElementsAre("845.070ms", "257.530ms", "191.690ms", "66.020ms", "47.140ms"));
  EXPECT_THAT(roberta_cuda.notes, Contains("Self CUDA time total: 1.794s"));
  const auto& roberta_cpu = published(tables, "roberta", "cpu");
  EXPECT_THAT(column_of(roberta_cpu, "self_cpu_s"),
              ElementsAre("23.060s", "6.170s", "4.610s", "4.190s", "3.430s"));
  EXPECT_THAT(column_of(roberta_cpu, "cpu_total_s"), ElementsAre("24.540s", "", "", "", ""));
  EXPECT_THAT(roberta_cpu.notes, Contains("Self CPU time total: 60.210s"));
  const auto& vit_mac = published(tables, "vit", "mps");
  EXPECT_THAT(column_of(vit_mac, "self_cpu_s"),
              ElementsAre("102.826ms", "37.347ms", "14.376ms", "8.188ms", "7.909ms"));
  EXPECT_THAT(column_of(vit_mac, "cpu_total_s"),
              ElementsAre("102.898ms", "37.353ms", "14.432ms", "8.246ms", ""));
  EXPECT_THAT(vit_mac.notes, Contains("Self CPU time total: 209.432ms"));
  const auto& vit_cpu = published(tables, "vit", "cpu");
  EXPECT_THAT(column_of(vit_cpu, "self_cpu_s"),
              ElementsAre("671.137ms", "352.227ms", "195.439ms", "157.512ms", "135.115ms"));
  EXPECT_THAT(column_of(vit_cpu, "cpu_total_s"), ElementsAre("671.708ms", "", "446.854ms", "", ""));
  EXPECT_THAT(vit_cpu.notes, Contains("Self CPU time total: 1.757s"));
  const auto& convnet_mac = published(tables, "convnet", "mps");
  EXPECT_THAT(column_of(convnet_mac, "self_cpu_s"),
              ElementsAre("75.894ms", "24.288ms", "22.567ms", "21.855ms", "18.908ms"));
  EXPECT_THAT(column_of(convnet_mac, "cpu_total_s"),
              ElementsAre("75.963ms", "24.330ms", "22.586ms", "21.874ms", "18.913ms"));
  EXPECT_THAT(convnet_mac.notes, Contains("Self CPU time total: 251.478ms"));
  const auto& convnet_cpu = published(tables, "convnet", "cpu");
  EXPECT_THAT(column_of(convnet_cpu, "self_cpu_s"),
              ElementsAre("2.918s", "339.266ms", "219.056ms", "148.391ms", "122.295ms"));
  EXPECT_THAT(column_of(convnet_cpu, "cpu_total_s"),
              ElementsAre("2.929s", "2.932s", "298.109ms", "", ""));
  EXPECT_THAT(convnet_cpu.notes, Contains("Self CPU time total: 3.628s"));
}

TEST(OperatorsTable, SaysThatThePublishedTablesArePublished) {
  for (const auto& table : published_operators()) {
    EXPECT_THAT(table.title, HasSubstr("(published)"));
  }
}

LoadedRecord profiled(std::vector<record::Operator> rows) {
  auto record = made_record({});
  auto& profile = record.profile.emplace_back();
  profile.covers = "2 steps";
  profile.device = "cpu";
  profile.steps = 2;
  for (const auto& row : rows) {
    profile.self_cpu_s += row.self_cpu_s;
    profile.self_device_s += row.place.view() == "device" ? row.self_device_s : 0;
  }
  record.operators = std::move(rows);
  return loaded(record);
}

TEST(OperatorsTable, OfAStartHasItsTimeAsAWhole) {
  auto run = profiled({{.name = "load", .place = "host", .calls = 1, .self_cpu_s = 3}});
  run.record.profile.front().wall_s = 4;
  const auto notes = [&] {
    return join(tables::all().at("operators").make({run}, {}).front().notes, "\n");
  };
  EXPECT_THAT(notes(), HasSubstr("2.000s a step on the host"));
  run.record.parameters.push_back(parameter_row("profile_start", "true"));
  EXPECT_THAT(notes(), HasSubstr("4.000s in all on the host"));
}

TEST(OperatorsTable, SortsByOwnTimeAndGivesSharesOfItsSum) {
  const auto tables = tables::all()
                          .at("operators")
                          .make({profiled({{.name = "small",
                                            .place = "host",
                                            .calls = 4,
                                            .self_cpu_s = 0.25,
                                            .cpu_total_s = 1},
                                           {.name = "large",
                                            .place = "host",
                                            .calls = 3,
                                            .self_cpu_s = 0.75,
                                            .cpu_total_s = 0.75}})},
                                {});
  const auto& table = part_of(tables, "operators");
  EXPECT_THAT(column_of(table, "name"), ElementsAre("large", "small"));
  EXPECT_THAT(column_of(table, "self_cpu_percent"), ElementsAre("75.00", "25.00"));
  EXPECT_THAT(column_of(table, "cpu_total_percent"), ElementsAre("75.00", "100.00"));
  EXPECT_THAT(column_of(table, "cpu_time_avg_s"), ElementsAre("250.000ms", "250.000ms"));
  EXPECT_THAT(column_of(table, "calls"), ElementsAre("3", "4"));
}

TEST(OperatorsTable, WithKernelsSortsByTheTimeOnTheDevice) {
  auto run = profiled({{.name = "aten::mm",
                        .place = "host",
                        .calls = 1,
                        .self_cpu_s = 0.9,
                        .cpu_total_s = 0.9,
                        .self_device_s = 0.1,
                        .device_total_s = 0.1},
                       {.name = "aten::add",
                        .place = "host",
                        .calls = 1,
                        .self_cpu_s = 0.1,
                        .cpu_total_s = 0.1,
                        .self_device_s = 0.3,
                        .device_total_s = 0.3},
                       {.name = "kernels",
                        .place = "device",
                        .calls = 2,
                        .self_device_s = 0.4,
                        .device_total_s = 0.4}});
  run.record.profile.front().device = "cuda";
  const auto tables = tables::all().at("operators").make({run}, {});
  const auto& table = part_of(tables, "operators");
  EXPECT_THAT(column_of(table, "name"), ElementsAre("kernels", "aten::add", "aten::mm"));
  EXPECT_THAT(column_of(table, "self_device_percent"), ElementsAre("100.00", "75.00", "25.00"));
  EXPECT_THAT(table.notes, Contains("Self CUDA time total: 400.000ms"));
}

TEST(OperatorsTable, CutsLongNamesAsTheReferenceDoes) {
  const auto tables = tables::all()
                          .at("operators")
                          .make({profiled({{.name = std::string(52, 'k'),
                                            .place = "host",
                                            .calls = 1,
                                            .self_cpu_s = 1,
                                            .cpu_total_s = 1},
                                           {.name = std::string(51, 'k'),
                                            .place = "host",
                                            .calls = 1,
                                            .self_cpu_s = 0.5,
                                            .cpu_total_s = 1}})},
                                {});
  EXPECT_THAT(column_of(part_of(tables, "operators"), "name"),
              ElementsAre(std::string(52, 'k') + "...", std::string(51, 'k')));
}

TEST(OperatorsTable, HasRowsByShapesWhereTheyWereRecorded) {
  auto run =
      profiled({{.name = "mm", .place = "host", .calls = 2, .self_cpu_s = 3, .cpu_total_s = 3}});
  const auto without = tables::all().at("operators").make({run}, {.by = {"shapes"}});
  EXPECT_THAT(without.front().notes, Contains(HasSubstr("profile_shapes")));
  run.record.operator_shapes = {
      {.name = "mm", .shapes = "[[2, 3], [3, 4]]", .calls = 1, .self_cpu_s = 1, .cpu_total_s = 1},
      {.name = "mm", .shapes = "[[9, 3], [3, 4]]", .calls = 1, .self_cpu_s = 2, .cpu_total_s = 2}};
  const auto tables = tables::all().at("operators").make({run}, {.by = {"shapes"}});
  EXPECT_THAT(column_of(part_of(tables, "operators"), "shapes"),
              ElementsAre("[[9, 3], [3, 4]]", "[[2, 3], [3, 4]]"));
  EXPECT_THROW((void)tables::all().at("operators").make({run}, {.by = {"batch"}}), Error);
}

TEST(OperatorsTable, RefusesRecordsWithoutAProfileAndNamesHowMany) {
  EXPECT_THROW((void)tables::all().at("operators").make({loaded(made_record({}))}, {}), Error);
  const auto tables =
      tables::all()
          .at("operators")
          .make({loaded(made_record({})), profiled({{.name = "mm", .place = "host", .calls = 1}})},
                {});
  EXPECT_THAT(tables.back().notes, Contains("records without a profile: 1"));
}

}  // namespace
}  // namespace epochcast::analysis
