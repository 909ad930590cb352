// validate layouts: layouts of large models that were left out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

std::vector<table::Table> all_layout_scores(const std::string& path) {
  return validators::all().at("layouts").score(CsvFile::read(path), {});
}

table::Table layout_scores(const std::string& path) {
  return all_layout_scores(path).front();
}

constexpr const char* layouts_header = "gpus,global_batch,micro_batch,tp,pp,iteration_ms\n";

TEST(ValidateLayouts, AsksForEachLayoutOnceWhateverItsBatches) {
  const TemporaryFolder folder;
  std::string text = layouts_header;
  for (const int pp : {1, 2, 4, 8}) {
    for (const int batch : {16, 32, 64}) {
      text += fmt::format("8,{},1,1,{},{}\n", batch, pp, 10.0 * (batch * pp / 8 + pp - 1) / pp);
    }
  }
  set_bytes(folder / "x.csv", text + "8,16,1,1,none,1\n");
  const auto table = layout_scores(folder / "x.csv");
  EXPECT_THAT(table.title, HasSubstr("4 layouts left out"));
  EXPECT_LT(number(table, "epochcast", "max_percent"), 5);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("1 row left out")));
}

TEST(ValidateLayouts, RefusesAFileWithoutEnoughLayouts) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", std::string(layouts_header) + "8,16,1,1,1,10\n8,32,1,1,1,20\n");
  EXPECT_THAT(error_of([&] { layout_scores(folder / "x.csv"); }),
              HasSubstr("no network with four layouts or more"));
}

void expect_ahead_of_simple_rules(const table::Table& table) {
  const double ours = number(table, "epochcast", "mean_percent");
  EXPECT_LE(ours, 6);
  for (const auto* rival : {"nearest layout, by its work", "median of the others, by their work",
                            "median of the others at that batch"}) {
    EXPECT_LT(ours, number(table, rival, "mean_percent")) << rival;
  }
  EXPECT_GE(number(table, "epochcast", "covered_80_percent"), 77);
  EXPECT_GE(number(table, "epochcast", "covered_95_percent"), 92);
}

const char* const measured = "timing/layout/vtrain-single.csv";

/// One of its eight networks.
// Slow: minutes under sanitizers.
TEST(SlowValidateLayouts, OfOneMeasuredNetworkAreAheadOfSimpleRules) {
  EPOCHCAST_NEEDS_SHARED_DATA(measured);
  std::string text;
  for (const auto& line : split(bytes_of(shared_data(measured)), '\n')) {
    if (text.empty() || line.find(",1024,16,24,1024,") != std::string::npos) {
      text += line + "\n";
    }
  }
  const TemporaryFolder folder;
  set_bytes(folder / "one.csv", text);
  const auto tables = all_layout_scores(folder / "one.csv");
  EXPECT_THAT(tables.front().title, HasSubstr("72 layouts left out"));
  expect_ahead_of_simple_rules(tables.front());
  const auto& without_replicas = part_of(tables, "layouts_new");
  EXPECT_GT(number(without_replicas, "epochcast", "mean_percent"),
            number(tables.front(), "epochcast", "mean_percent"));
  EXPECT_LT(number(without_replicas, "epochcast", "mean_percent"),
            number(without_replicas, "nearest layout, by its work", "mean_percent"));
  EXPECT_GE(number(without_replicas, "epochcast", "covered_80_percent"), 75)
      << "the interval knows that no layout like it was measured";
}

TEST(SlowValidateLayouts, OfAllMeasuredNetworksAreAheadOfSimpleRules) {
  EPOCHCAST_NEEDS_SHARED_DATA(measured);
  const auto table = layout_scores(shared_data(measured));
  EXPECT_THAT(table.title, HasSubstr("576 layouts left out"));
  expect_ahead_of_simple_rules(table);
}

}  // namespace
}  // namespace epochcast::analysis
