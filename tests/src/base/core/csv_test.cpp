#include "src/base/core/csv.hpp"

#include <gtest/gtest.h>

#include "tests/files.hpp"

namespace epochcast {
namespace {

using Rows = std::vector<CsvRow>;

TEST(Csv, ReadsWhatRfc4180Allows) {
  const struct {
    std::string text;
    Rows rows;
  } cases[] = {
      {"", {}},
      {"a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
      {"a,b\r\n1,2\r\n", {{"a", "b"}, {"1", "2"}}},
      {"a,b", {{"a", "b"}}},
      {"a,\n,b\n", {{"a", ""}, {"", "b"}}},
      {"a,", {{"a", ""}}},
      {"\n\n", {{""}, {""}}},
      {"\"a\"\r\n\"b\"\n\"c\"", {{"a"}, {"b"}, {"c"}}},
      {"\"a, b\",\"say \"\"x\"\"\",\"\"\n", {{"a, b", "say \"x\"", ""}}},
      {"\"two\nlines\",1\n", {{"two\nlines", "1"}}},
      {"\"two\r\nlines\",1\r\n", {{"two\r\nlines", "1"}}},
      {"a\"b,c\n", {{"a\"b", "c"}}},
  };
  for (const auto& [text, rows] : cases) {
    EXPECT_EQ(parse_csv(text), rows) << text;
  }
}

TEST(Csv, GivesBackWhatItWrote) {
  const CsvRow row{"plain", "a,b", "say \"x\"", "two\nlines", "cr\r", ""};
  EXPECT_EQ(parse_csv(csv_line(row)), Rows{row});
}

TEST(Csv, KnowsTheLineARowBeginsOn) {
  CsvReader reader("h\n\"a\nb\nc\"\n\"d\ne\",f\nlast");
  CsvRow row;
  for (const int line : {1, 2, 5, 7}) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(reader.line(), line);
  }
  EXPECT_EQ(row, CsvRow{"last"});
  EXPECT_FALSE(reader.next(row));
}

TEST(Csv, RefusesABrokenQuote) {
  EXPECT_EQ(error_of([] { parse_csv("a,\"b\n"); }), "found a quoted cell that never ends");
  const std::string error =
      "found text after the closing quote of a cell, expected a comma or the end of the line";
  EXPECT_EQ(error_of([] { parse_csv("\"a\"b,c\n"); }), error);
  EXPECT_EQ(error_of([] { parse_csv("\"a\"\rb\n"); }), error);
}

TEST(Csv, ColumnsGoByName) {
  const CsvRow header{"run", "epoch"};
  EXPECT_EQ(find_column(header, "epoch"), 1U);
  EXPECT_EQ(find_column(header, "Epoch"), std::nullopt);
}

}  // namespace
}  // namespace epochcast
