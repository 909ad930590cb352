#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// One run of a network with 10^depth parameters; `epoch_s` of one epoch less a second.
LoadedRecord swept(const std::string& allocation, int depth, double epoch_s,
                   std::int64_t repeat = 0) {
  const auto cpus = allocation == "cpu1" ? 1 : 2;
  auto record = made_record(
      {.allocation = allocation, .repeat = repeat, .epoch_s = epoch_s - 1, .cpus = cpus});
  record.header.point = record.header.point.str() + fmt::format(".d{}", depth);
  record.parameters.push_back(parameter_row("model.depth", std::to_string(depth)));
  record.work.front().parameter_count = std::llround(std::pow(10, depth));
  return loaded(record);
}

/// cpu1 against cpu2: each takes so long at depths 1, 2, ...
std::vector<table::Table> crossover_tables(const std::vector<double>& one_s,
                                           const std::vector<double>& two_s) {
  std::vector<LoadedRecord> records;
  for (std::size_t i = 0; i < one_s.size(); ++i) {
    const auto depth = static_cast<int>(i) + 1;
    records.push_back(swept("cpu1", depth, one_s[i]));
    records.push_back(swept("cpu2", depth, two_s[i]));
  }
  std::ranges::reverse(records);
  return tables::all().at("crossover").make(records, {});
}

TEST(CrossoverTable, ShowsEachNetworkOnEachAllocation) {
  const auto tables = crossover_tables({2, 4, 8}, {4, 4, 4});
  const auto& times = part_of(tables, "crossover");
  EXPECT_THAT(column_of(times, "depth"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(column_of(times, "parameters"), ElementsAre("10", "100", "1000"));
  EXPECT_THAT(column_of(times, "cpu1_s"), ElementsAre("2.000", "4.000", "8.000"));
  EXPECT_THAT(column_of(times, "cpu1_per_cpu2"), ElementsAre("0.50", "1.00", "2.00"));
}

TEST(CrossoverTable, NotesDifferentVersionsOfALibraryOnce) {
  std::vector<LoadedRecord> records;
  for (const int depth : {1, 2, 3}) {
    for (const auto* allocation : {"cpu1", "cpu2"}) {
      auto one = swept(allocation, depth, 4 * depth);
      one.record.machines.front().libraries =
          one.record.header.allocation.view() == "cpu1" ? "LibTorch 2.7.1" : "LibTorch 2.11.0";
      records.push_back(one);
    }
  }
  auto notes = part_of(tables::all().at("crossover").make(records, {}), "overtaking").notes;
  std::erase_if(
      notes, [](const std::string& note) { return note.find("libraries") == std::string::npos; });
  EXPECT_THAT(notes, ElementsAre(HasSubstr("(LibTorch 2.7.1 and 2.11.0)")));
}

TEST(CrossoverTable, ReportsFromWhereTheSecondOvertakesAndInterpolates) {
  const auto tables = crossover_tables({2, 2, 8, 16}, {4, 4, 4, 4});
  const auto& overtaking = part_of(tables, "overtaking");
  EXPECT_THAT(column_of(overtaking, "overtakes"), ElementsAre("yes"));
  EXPECT_THAT(column_of(overtaking, "depth"), ElementsAre("3"));
  EXPECT_THAT(column_of(overtaking, "parameters"), ElementsAre("1000"));
  EXPECT_THAT(column_of(overtaking, "interpolated_parameters"), ElementsAre("316"));  // 10^2.5
  EXPECT_THAT(column_of(overtaking, "low_95_parameters"), ElementsAre(""));
  EXPECT_THAT(overtaking.notes, Contains("no interval: nothing was repeated"));
}

TEST(CrossoverTable, ReportsWhereItIsNotReachedOrAlwaysTrue) {
  EXPECT_THAT(column_of(part_of(crossover_tables({2, 3}, {4, 4}), "overtaking"), "overtakes"),
              ElementsAre("not reached"));
  const auto always = crossover_tables({5, 6}, {4, 4});
  EXPECT_THAT(column_of(part_of(always, "overtaking"), "overtakes"),
              ElementsAre("from the smallest on"));
  EXPECT_THAT(column_of(part_of(always, "overtaking"), "interpolated_parameters"), ElementsAre(""));
}

TEST(CrossoverTable, TakesTheIntervalFromRepeats) {
  std::vector<LoadedRecord> records;
  for (const std::int64_t repeat : {0, 1, 2}) {
    const double factor = 1 + 0.01 * static_cast<double>(repeat - 1);
    for (const int depth : {1, 2, 3, 4}) {
      records.push_back(swept("cpu1", depth, factor * std::pow(2, depth), repeat));
      records.push_back(swept("cpu2", depth, factor * 6, repeat));
    }
  }
  const auto tables = tables::all().at("crossover").make(records, {});
  const auto& overtaking = part_of(tables, "overtaking");
  const auto number = [&](const std::string& key) {
    return std::stod(column_of(overtaking, key).front());
  };
  const double at = number("interpolated_parameters");
  EXPECT_NEAR(at, std::pow(10, std::log2(6)), 1);
  EXPECT_GT(at, number("low_95_parameters"));
  EXPECT_LT(at, number("high_95_parameters"));
  // 1 % of scatter moves the crossing by a few percent of parameters, not by more.
  EXPECT_LT(number("high_95_parameters"), 1.2 * number("low_95_parameters"));
}

TEST(CrossoverTable, NamesThePairWithoutRepeats) {
  std::vector<LoadedRecord> records;
  for (const int depth : {1, 2, 3}) {
    for (const std::int64_t repeat : {0, 1}) {
      records.push_back(
          swept("cpu1", depth, std::pow(2, depth) + 0.1 * static_cast<double>(repeat), repeat));
    }
    records.push_back(swept("cpu2", depth, 4));
  }
  const auto tables = tables::all().at("crossover").make(records, {});
  const auto& notes = part_of(tables, "overtaking").notes;
  EXPECT_THAT(notes, Contains("cpu1, cpu2: no interval: no repeats on cpu2"));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("beyond the sweep"))));
}

TEST(CrossoverTable, ExcludesRunsOfOtherLengthsAndReportsIt) {
  auto records = std::vector{swept("cpu1", 1, 2), swept("cpu2", 1, 4)};
  auto longer = made_record({.allocation = "cpu2", .epochs = 3});
  longer.parameters.push_back(parameter_row("model.depth", "1"));
  longer.work.front().parameter_count = 10;
  records.push_back(loaded(longer));
  const auto tables = tables::all().at("crossover").make(records, {});
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre("3 epochs, most runs had 1"));
}

/// The same run in steps of so many samples.
LoadedRecord of_batch(LoadedRecord run, std::int64_t batch) {
  for (auto& row : run.record.parameters) {
    if (row.name == "batch") {
      row.value = std::to_string(batch);
    }
  }
  run.record.header.point = fmt::format("{}.b{}", run.record.header.point.view(), batch);
  run.path = fmt::format("b{}-{}", batch, run.path);
  return run;
}

TEST(CrossoverTable, ComparesOnlyTheSameWork) {
  const auto tables =
      tables::all()
          .at("crossover")
          .make({swept("cpu1", 1, 2), swept("cpu1", 2, 3), of_batch(swept("cpu2", 1, 4), 10),
                 of_batch(swept("cpu2", 2, 4), 10), swept("cpu2", 2, 4)},
                {});
  EXPECT_THAT(column_of(part_of(tables, "crossover"), "cpu1_per_cpu2"), ElementsAre("", "0.75"));
  EXPECT_THAT(part_of(tables, "crossover").notes, Contains("restricted to: batch=256"));
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              testing::Each(HasSubstr("different parameters: batch=10, not 256")));
}

TEST(CrossoverTable, GivesNetworksOfDifferentSizesRowsOfTheirOwn) {
  const auto tables = tables::all()
                          .at("crossover")
                          .make({swept("cpu1", 1, 2), swept("cpu2", 1, 4), swept("cpu1", 3, 8),
                                 swept("cpu2", 3, 4)},
                                {.by = {"model.depth"}});
  EXPECT_THAT(column_of(part_of(tables, "crossover"), "parameters"), ElementsAre("10", "1000"));
}

TEST(CrossoverTable, DoesNotCompareWhatOnlyOneAllocationRan) {
  const auto tables =
      tables::all().at("crossover").make({swept("cpu1", 1, 2), swept("cpu2", 2, 4)}, {});
  EXPECT_THAT(column_of(part_of(tables, "overtaking"), "overtakes"),
              ElementsAre("no network ran on both"));
}

std::vector<table::Table> published_sweep() {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read("depth_sweep", {}).records, folder.path());
  return tables::all().at("crossover").make(record::load_records({folder.path()}).records, {});
}

TEST(PublishedDepthSweep, GivesTheStudysTableToTheDigit) {
  const auto tables = published_sweep();
  const auto& times = part_of(tables, "crossover");
  EXPECT_THAT(column_of(times, "depth"),
              ElementsAre("2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"));
  EXPECT_THAT(column_of(times, "parameters"),
              ElementsAre("22", "70", "230", "806", "2982", "11430", "44710", "176806", "703142",
                          "2804390", "11201190", "44772006"));
  EXPECT_THAT(column_of(times, "cpu_s"),
              ElementsAre("1.631", "1.862", "2.190", "2.396", "3.288", "3.580", "4.575", "6.007",
                          "10.768", "28.495", "97.543", "364.959"));
  EXPECT_THAT(column_of(times, "gpu_s"),
              ElementsAre("3.735", "4.581", "5.309", "5.949", "6.266", "7.244", "8.445", "8.598",
                          "9.206", "10.021", "20.347", "59.984"));
  EXPECT_THAT(column_of(times, "cpu_per_gpu"),
              ElementsAre("0.44", "0.41", "0.41", "0.40", "0.52", "0.49", "0.54", "0.70", "1.17",
                          "2.84", "4.79", "6.08"));
  EXPECT_THAT(times.notes, Contains(HasSubstr("802 parameters for 5 layers, a typo")));
}

TEST(PublishedDepthSweep, CrossesAtTenLayers) {
  const auto tables = published_sweep();
  const auto& overtaking = part_of(tables, "overtaking");
  EXPECT_THAT(column_of(overtaking, "depth"), ElementsAre("10"));
  EXPECT_THAT(column_of(overtaking, "parameters"), ElementsAre("703142"));
}

}  // namespace
}  // namespace epochcast::analysis
