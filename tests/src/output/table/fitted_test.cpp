#include "src/output/table/fitted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Table runs() {
  Table table{.name = "runs",
              .title = "Runs",
              .columns = {text_column("point", "point"), text_column("allocation", "allocation"),
                          text_column("job", "job")},
              .rows = {{"a", "cpu16", {}}, {"b", "cpu16", {}}},
              .notes = {"a note"}};
  for (int i = 0; i < 8; ++i) {
    table.columns.push_back(
        number_column("m" + std::to_string(i), "metric" + std::to_string(i), "", 2));
    table.rows[0].emplace_back(i + 0.5);
    table.rows[1].emplace_back(i + 0.25);
  }
  table.columns.push_back(text_column("why", "why"));
  table.rows[0].emplace_back("the job was ended by its time limit after epoch 3 of 10");
  table.rows[1].emplace_back("");
  return table;
}

/// Of the rows and headings: notes are broken at 110 characters.
std::size_t widest_line(std::vector<Table> tables) {
  std::ranges::for_each(tables, [](Table& table) { table.notes.clear(); });
  std::size_t widest = 0;
  for (const auto& line : split(formats::all().at("text").write(tables), '\n')) {
    widest = std::max(widest, display_width(line));
  }
  return widest;
}

std::string text_of(const std::vector<Table>& tables) {
  return formats::all().at("text").write(tables);
}

TEST(Fitted, ATableThatFitsStaysAsItIs) {
  EXPECT_EQ(text_of(fitted(runs(), 300)), text_of({runs()}));
}

TEST(Fitted, NoLineIsWiderThanTheScreenAndNothingIsLost) {
  for (const std::size_t width : {110, 100, 80, 60, 40}) {
    const auto parts = fitted(runs(), width);
    EXPECT_LE(widest_line(parts), width);
    const auto text = text_of(parts);
    for (int i = 0; i < 8; ++i) {
      EXPECT_THAT(text, HasSubstr(std::to_string(i) + ".50")) << width;
      EXPECT_THAT(text, HasSubstr(std::to_string(i) + ".25")) << width;
    }
    EXPECT_THAT(text, HasSubstr("allocation cpu16")) << width;
    EXPECT_THAT(text, HasSubstr("limit")) << width;
    EXPECT_THAT(text, HasSubstr("a note")) << width;
  }
}

TEST(Fitted, ValuesThatAreTheSameInAllRowsBecomeANote) {
  const auto parts = fitted(runs(), 130);
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_THAT(parts.front().notes, ElementsAre("a note", "without a value in any row: job",
                                               "the same in all rows: allocation cpu16"));
}

TEST(Fitted, EachPartBeginsWithTheFirstColumn) {
  const auto parts = fitted(runs(), 40);
  ASSERT_GT(parts.size(), 1U);
  for (const auto& part : parts) {
    EXPECT_EQ(part.columns.front().key, "point");
  }
  EXPECT_EQ(parts[0].title, "Runs");
  EXPECT_EQ(parts[1].title, "Runs (more columns)");
}

TEST(Wrapped, BreaksAtBlanksElseBehindSignsElseAnywhere) {
  EXPECT_THAT(wrapped("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("out/records/run.h5", 12), ElementsAre("out/records/", "run.h5"));
  EXPECT_THAT(wrapped("aaaaaaaaaa", 4), ElementsAre("aaaa", "aaaa", "aa"));
  EXPECT_THAT(wrapped("äöüäöü", 4), ElementsAre("äöüä", "öü"));
  EXPECT_THAT(wrapped("", 4), ElementsAre(""));
}

}  // namespace
}  // namespace epochcast::table
