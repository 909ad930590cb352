#include "src/output/table/html_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/output/table/format.hpp"
#include "tests/html.hpp"

namespace epochcast::table {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Table shown_table() {
  return {.name = "made",
          .title = "Made & <shown>",
          .columns = {text_column("name", "the name"), number_column("value_s", "value", "s", 1)},
          .rows = {{"first", 1.25}, {"", 2.0}, {"third", Cell()}},
          .notes = {"a <note>"}};
}

TEST(HtmlTable, HasCaptionHeadingsAndNotes) {
  const auto text = html_table(shown_table(), "made");
  EXPECT_THAT(read_html(text).faults, IsEmpty());
  EXPECT_THAT(text, HasSubstr("<caption id=\"made-title\">Made &amp; &lt;shown&gt;</caption>"));
  EXPECT_THAT(text, HasSubstr("<th scope=\"col\">the name</th>"));
  EXPECT_THAT(text,
              HasSubstr("<th scope=\"col\" class=\"n\">value <span class=\"u\">s</span></th>"));
  EXPECT_THAT(text, HasSubstr("<tr><th scope=\"row\">first</th><td class=\"n\">1.2</td></tr>"));
  EXPECT_THAT(text, HasSubstr("<li>a &lt;note&gt;</li>"));
}

TEST(HtmlTable, AnUnknownValueIsAnEmptyCellAndAnEmptyNameIsNoHeading) {
  const auto text = html_table(shown_table(), "made");
  EXPECT_THAT(text, HasSubstr("<tr><td></td><td class=\"n\">2.0</td></tr>"));
  EXPECT_THAT(text, HasSubstr("<tr><th scope=\"row\">third</th><td class=\"n\"></td></tr>"));
}

TEST(HtmlTable, SaysHowManyRowsItLeavesOut) {
  const auto text = html_table(shown_table(), "made", 1);
  EXPECT_THAT(text, HasSubstr("<li>the first 1 of 3 rows</li>"));
  EXPECT_THAT(text, Not(HasSubstr("third")));
}

TEST(HtmlTable, NamesTheColumnsWithoutValuesInPlaceOfShowingThem) {
  auto table = shown_table();
  table.columns.push_back(number_column("unknown_s", "unknown", "s", 1));
  table.columns.push_back(text_column("blank", "blank"));
  for (auto& row : table.rows) {
    row.insert(row.end(), {Cell(), ""});
  }
  const auto kept = without_empty_columns(table);
  EXPECT_THAT(keys_of(kept.columns), testing::ElementsAre("name", "value_s"));
  EXPECT_EQ(kept.rows, shown_table().rows);
  EXPECT_EQ(kept.notes.back(), "without a value in any row: unknown, blank");
  table.rows.clear();
  EXPECT_EQ(without_empty_columns(table).columns.size(), 4);
}

TEST(HtmlFormat, IsOnePageOfAllTables) {
  auto second = shown_table();
  second.title = "Second";
  const auto page = formats::all().at("html").write({shown_table(), second});
  const auto facts = read_html(page);
  EXPECT_THAT(facts.faults, IsEmpty());
  EXPECT_EQ(facts.tags.at("table"), 2);
  EXPECT_THAT(page, HasSubstr("<title>Made &amp; &lt;shown&gt;</title>"));
}

}  // namespace
}  // namespace epochcast::table
