#include "src/output/table/make_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace epochcast::table {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The cells as readers see them.
std::vector<std::vector<std::string>> shown(const Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(cell_text(row[i], table.columns[i]));
    }
  }
  return rows;
}

struct Device {
  std::string name;
  int cores = 0;
};

struct MadeRun {
  std::string path;
  std::optional<double> error_percent = {};
  const Device* device = nullptr;
  bool complete = true;
  std::vector<std::string> by = {};

  double twice() const { return 2 * error_percent.value_or(0); }
};

TEST(MakeTable, AsksMembersAndFunctionsOfEachRow) {
  const Columns<MadeRun> columns{
      {"record", "record", &MadeRun::path},
      {"error_percent", "error", "%", 1, &MadeRun::error_percent, with_sign},
      {"twice", "twice", "", 0, &MadeRun::twice, as_detail},
      {"complete", "complete", &MadeRun::complete},
      {"length", "length", "", 0, [](const auto& run) { return run.path.size(); }}};
  const auto table = make_table("runs", "Runs", columns,
                                std::vector<MadeRun>{{"a.h5", 1.5}, {"b.h5"}}, {"a note"});
  EXPECT_EQ(table.name, "runs");
  EXPECT_EQ(table.title, "Runs");
  EXPECT_THAT(table.notes, ElementsAre("a note"));
  EXPECT_THAT(keys_of(table.columns),
              ElementsAre("record", "error_percent", "twice", "complete", "length"));
  EXPECT_EQ(table.columns[1].unit, "%");
  EXPECT_EQ(table.columns[1].decimals, 1);
  EXPECT_TRUE(table.columns[1].always_sign);
  EXPECT_TRUE(table.columns[2].detail);
  EXPECT_EQ(table.columns[3].kind, Column::Kind::text);
  EXPECT_EQ(table.columns[4].kind, Column::Kind::number);
  EXPECT_THAT(shown(table), ElementsAre(ElementsAre("a.h5", "+1.5", "3", "yes", "4"),
                                        ElementsAre("b.h5", "", "0", "yes", "4")));
}

TEST(MakeTable, TakesTheColumnsOfAPartAndLeavesThemEmptyWhereItIsMissing) {
  const Columns<Device> of_device{{"device", "device", &Device::name},
                                  {"cores", "cores", "", 0, &Device::cores}};
  const Device device{"t4", 40};
  Columns<MadeRun> columns{{"record", "record", &MadeRun::path}};
  columns.add(of_device, &MadeRun::device)
      .add(of_device,
           [](const MadeRun& run) {
             return Device{run.path + "'s own", 1};
           })
      .add({"complete", "complete", &MadeRun::complete});
  const std::vector<MadeRun> runs{{.path = "a", .device = &device},
                                  {.path = "b", .complete = false}};
  EXPECT_THAT(shown(make_table("runs", "Runs", columns, runs)),
              ElementsAre(ElementsAre("a", "t4", "40", "a's own", "1", "yes"),
                          ElementsAre("b", "", "", "b's own", "1", "no")));
}

TEST(MakeTable, HasAColumnForEachName) {
  Columns<MadeRun> columns{{"record", "record", &MadeRun::path}};
  columns.add_each({"batch", "seed"}, &MadeRun::by);
  const auto table =
      make_table("runs", "Runs", columns, std::array{MadeRun{.path = "a", .by = {"8", "1"}}});
  EXPECT_THAT(keys_of(table.columns), ElementsAre("record", "batch", "seed"));
  EXPECT_THAT(shown(table), ElementsAre(ElementsAre("a", "8", "1")));
}

TEST(MakeTable, OfNoRowsHasItsColumns) {
  const auto table =
      make_table("runs", "Runs", Columns<MadeRun>{{"record", "record", &MadeRun::path}},
                 std::vector<MadeRun>{});
  EXPECT_THAT(shown(table), IsEmpty());
  EXPECT_THAT(keys_of(table.columns), ElementsAre("record"));
}

TEST(Cells, AreEmptyWhereThereIsNoValue) {
  EXPECT_EQ(text_cell(""), Cell());
  EXPECT_EQ(text_cell("x"), Cell("x"));
  EXPECT_EQ(known_cell(std::numeric_limits<double>::quiet_NaN()), Cell());
  EXPECT_EQ(finite_cell(std::numeric_limits<double>::infinity()), Cell());
  EXPECT_EQ(positive_cell(0), Cell());
  EXPECT_EQ(ratio_cell(1, 0), Cell());
  EXPECT_EQ(percent_cell(1, 4), Cell(25.0));
}

}  // namespace
}  // namespace epochcast::table
