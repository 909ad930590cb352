#include "src/output/table/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/core/text.hpp"
#include "tests/files.hpp"

namespace epochcast::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Everything that one of the formats would read as its own mark.
constexpr const char* hostile = "a|b,\"c\"\n\\d & 50% $x_1 #{~^} <b>*[l](m)` \x1b[31m é ×";

Table table_with(const Cell& text, const Cell& number) {
  auto value = number_column("value_s", "value", "s", 1);
  value.always_sign = true;
  return {
      .name = "made",
      .title = "Made",
      .columns = {text_column("name", "the name"), value, number_column("count", "count", "", 0)},
      .rows = {{text, number, 3.0}},
      .notes = {"a note"}};
}

std::string written(const std::string& format, const Table& table) {
  return formats::all().at(format).write({table});
}

/// The cells of the line that begins with `first`, between `separator` and without what `strip`
/// holds.
std::vector<std::string> cells_behind(const std::string& text, const std::string& first,
                                      char separator, const std::string& strip) {
  const auto start = text.find(first);
  auto line = text.substr(start, text.find_first_of("\r\n", start) - start);
  std::erase_if(line, [&](char c) { return strip.find(c) != std::string::npos; });
  std::vector<std::string> cells;
  for (const auto& cell : split(line, separator)) {
    if (!trim(cell).empty()) {
      cells.emplace_back(trim(cell));
    }
  }
  return cells;
}

struct Shown {
  double value;
  const char* for_people;
  const char* in_csv;
};

TEST(Formats, ShowTheSameNumbersAndJsonAllTheirDigits) {
  const std::vector<Shown> cases{{1730.04, "+1730.0", "1730.0"},
                                 {-2.649, "-2.6", "-2.6"},
                                 {0, "0.0", "0.0"},
                                 {-0.04, "0.0", "0.0"},
                                 {0.012345, "+0.0123", "0.0123"},
                                 {0.06, "+0.1", "0.1"},
                                 {1e7, "+10000000.0", "10000000.0"}};
  for (const auto& shown : cases) {
    const auto table = table_with("row", shown.value);
    EXPECT_THAT(cells_behind(written("text", table), "row", ' ', ""),
                ElementsAre("row", shown.for_people, "3"));
    EXPECT_THAT(cells_behind(written("markdown", table), "row", '|', ""),
                ElementsAre("row", shown.for_people, "3"));
    EXPECT_THAT(cells_behind(written("latex", table), "row", '&', "$\\"),
                ElementsAre("row", shown.for_people, "3"));
    EXPECT_THAT(cells_behind(written("csv", table), "row", ',', ""),
                ElementsAre("row", shown.in_csv, "3"));
    const auto json = nlohmann::json::parse(written("json", table));
    EXPECT_EQ(json["tables"][0]["rows"][0]["value_s"], shown.value);
    EXPECT_EQ(json["tables"][0]["rows"][0]["count"], 3);
  }
}

TEST(Formats, ShowASmallShareAsNone) {
  const auto column = number_column("share_percent", "share", "%", 1);
  EXPECT_EQ(number_text(0.001, column), "0.0");
}

TEST(Formats, OmitWhatIsNotKnown) {
  const auto table = table_with("row", Cell());
  EXPECT_THAT(written("csv", table), HasSubstr("\r\nrow,,3\r\n"));
  EXPECT_THAT(written("markdown", table), HasSubstr("| row |  | 3 |"));
  EXPECT_THAT(written("latex", table), HasSubstr("row &  & $3$ \\\\"));
  EXPECT_TRUE(
      nlohmann::json::parse(written("json", table))["tables"][0]["rows"][0]["value_s"].is_null());
  EXPECT_THAT(cells_behind(written("text", table), "row", ' ', ""), ElementsAre("row", "3"));
}

TEST(Formats, ShowALossThatIsNoNumber) {
  const auto table = table_with("row", std::nan(""));
  for (const auto& [name, format] : formats::all()) {
    EXPECT_THAT(format.write({table}), HasSubstr("nan")) << name;
  }
  EXPECT_THAT(written("json", table_with("row", -INFINITY)), HasSubstr("\"-inf\""));
}

TEST(Formats, LetNoCellBreakItsRowOrDriveATerminal) {
  const auto table = table_with(hostile, 1.0);
  for (const std::string format : {"text", "markdown", "latex"}) {
    EXPECT_THAT(written(format, table), Not(HasSubstr("\x1b"))) << format;
    EXPECT_EQ(std::ranges::count(written(format, table), '\n'),
              std::ranges::count(written(format, table_with("tame", 1.0)), '\n'))
        << format;
  }
}

/// The fields of the second line of RFC 4180 text.
std::vector<std::string> second_record(const std::string& csv) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = csv.find("\r\n") + 2; quoted || csv[i] != '\r'; ++i) {
    if (csv[i] == '"') {
      quoted = !quoted;
      fields.back() += !quoted && csv[i + 1] == '"' ? "\"" : "";
    } else if (csv[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += csv[i];
    }
  }
  return fields;
}

/// CSV is opened in spreadsheets and on terminals: what these would execute is made visible.
TEST(Formats, JsonGivesHostileTextBackAsItWasAndCsvAllButControlCharacters) {
  const auto table = table_with(hostile, 1.0);
  std::string visible = hostile;
  visible.replace(visible.find('\x1b'), 1, "\\x1b");
  EXPECT_THAT(second_record(written("csv", table)), ElementsAre(visible, "1.0", "3"));
  EXPECT_EQ(nlohmann::json::parse(written("json", table))["tables"][0]["rows"][0]["name"], hostile);
}

TEST(Formats, CsvHasTheUnitsInItsHeaderAndNothingElse) {
  EXPECT_THAT(written("csv", table_with("row", 1.0)),
              testing::StartsWith("name,value_s,count\r\nrow,"));
  EXPECT_THAT(written("csv", table_with("row", 1.0)), Not(HasSubstr("note")));
}

TEST(Formats, MarkdownEscapesItsOwnMarks) {
  EXPECT_THAT(written("markdown", table_with("a|b*c_d<e>", 1.0)),
              HasSubstr("| a\\|b\\*c\\_d\\<e\\> |"));
}

TEST(Formats, LatexEscapesItsOwnMarks) {
  EXPECT_THAT(
      written("latex", table_with("\\ & % $ # _ { } ~ ^ < > | \" ×", 1.0)),
      HasSubstr(
          "\\textbackslash{} \\& \\% \\$ \\# \\_ \\{ \\} \\textasciitilde{} \\textasciicircum{} "
          "\\textless{} \\textgreater{} \\textbar{} \\textquotedbl{} $\\times$ & "));
}

/// Compiles a page of `table`; its log.
std::string latex_log(const TemporaryFolder& folder, const Table& table) {
  set_bytes(folder / "page.tex",
            "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\usepackage[T1]{fontenc}\n"
            "\\begin{document}\n" +
                written("latex", table) + "\\end{document}\n");
  const auto command = "cd '" + folder.path() +
                       "' && pdflatex -halt-on-error -interaction=nonstopmode page.tex > log";
  EXPECT_EQ(std::system(command.c_str()), 0) << bytes_of(folder / "log");
  return bytes_of(folder / "log");
}

TEST(Formats, LatexCompilesAndFitsThePage) {
  if (std::system("command -v pdflatex > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no pdflatex on this machine";
  }
  const TemporaryFolder folder;
  latex_log(folder, table_with(hostile, -1.5));
  Table wide{.name = "wide", .title = "Wide"};
  wide.rows.emplace_back();
  for (int i = 0; i < 20; ++i) {
    wide.columns.push_back(number_column("key", "several words of a heading", "s", 1));
    wide.rows[0].emplace_back(12345.6);
  }
  EXPECT_THAT(latex_log(folder, wide), Not(HasSubstr("Overfull")));
}

TEST(Formats, TextBreaksLongNotesBetweenWords) {
  auto table = table_with("row", 1.0);
  std::string note;
  for (int i = 0; i < 60; ++i) {
    note += "word" + std::to_string(i) + " ";
  }
  table.notes = {note};
  for (const auto& line : split(written("text", table), '\n')) {
    EXPECT_LE(line.size(), 110u) << line;
  }
  EXPECT_THAT(written("text", table), HasSubstr("\n  word"));
}

TEST(DisplayWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("é"), 1U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "a mark on the letter before";
}

}  // namespace
}  // namespace epochcast::table
