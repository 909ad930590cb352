// Names, hosts and errors of records that try to be more than text, in every format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string>& attacks() {
  static const std::vector<std::string> texts{
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "javascript:alert(1)](javascript:alert(2))",
      "'\nsystem('touch gotcha')\n'",
      "`touch gotcha`",
      "'; !touch gotcha; print '",
      "''; system('touch gotcha'); x = ''",
      "it's \\\"`touch gotcha`\\",
      "@x; \"`touch gotcha`\"",
      "END_OF_DATA\nset output 'gotcha'",
      "\\input{/etc/passwd}\\write18{touch gotcha}",
      "}\\end{document}\\end{table}",
      "$$ %\n \\newline & \\\\ ~ ^ #",
      "\x1b]0;title\x07\x1b[2J\x1b[31mred",
      "\u009b31m eight bits: \x9b"
      "31m",
      "a\r\nb\rc\fd\ve",
      "right\u202eleft \u2028 line \ufeff",
      "\",=1+1\n\"",
      std::string("nul\0byte", 8),
  };
  return texts;
}

/// The text in every place that a record or the user may fill.
Table table_with(const std::string& text) {
  return {.name = "made",
          .title = text,
          .columns = {text_column("name", text), number_column("size", text, text, 0),
                      number_column("time_s", "time", "s", 1)},
          .rows = {{text, 1.0, 2.0}, {"b", 2.0, 3.0}},
          .notes = {text}};
}

std::string written(const std::string& format, const std::string& text) {
  return formats::all().at(format).write({table_with(text)});
}

bool has_control_character(const std::string& text) {
  return printable_lines(text) != text || text.find('\t') != std::string::npos ||
         text.find('\r') != std::string::npos;
}

TEST(HostileText, DrivesNoTerminalAndAddsNoLine) {
  for (const auto& text : attacks()) {
    for (const std::string format : {"text", "markdown", "latex"}) {
      const auto out = written(format, text);
      EXPECT_FALSE(has_control_character(out)) << format << "\n" << printable(text) << "\n" << out;
      if (format != "text" && format != "latex") {  // they stack the words of headings
        EXPECT_EQ(std::ranges::count(out, '\n'), std::ranges::count(written(format, "tame"), '\n'))
            << format << "\n"
            << out;
      }
    }
  }
}

TEST(HostileText, IsNoFormulaAndDrivesNoTerminalInCsv) {
  for (const auto& text : attacks()) {
    const auto out = written("csv", text);
    EXPECT_EQ(printable_lines(out), out);
  }
  EXPECT_THAT(written("csv", "=1+1"), HasSubstr("\r\n'=1+1,1,2.0\r\n"));
  EXPECT_THAT(written("csv", "@x,y"), HasSubstr("\r\n\"'@x,y\",1,2.0\r\n"));
  EXPECT_THAT(written("csv", "-1.5"), HasSubstr("\r\n-1.5,1,2.0\r\n"));
}

TEST(HostileText, IsStillThereToRead) {
  EXPECT_THAT(written("text", "\x1b[31m<script>\n"), HasSubstr("\\x1b[31m<script>\\n"));
  EXPECT_THAT(written("markdown", "\x1b[31m<script>"), HasSubstr("\\\\x1b\\[31m\\<script\\>"));
  EXPECT_THAT(written("latex", "\\input{x}"),
              AllOf(HasSubstr("\\textbackslash{}input\\{x\\}"), Not(HasSubstr("\\input"))));
}

TEST(HostileText, IsDataInJsonAndCsv) {
  for (const auto& text : attacks()) {
    if (printable(text).find("\\x9b") != std::string::npos) {
      continue;  // is not UTF-8, which JSON cannot hold
    }
    const auto json = nlohmann::json::parse(written("json", text));
    EXPECT_EQ(json["tables"][0]["rows"][0]["name"], text);
    EXPECT_EQ(json["tables"][0]["title"], text);
  }
  EXPECT_NO_THROW(std::ignore = nlohmann::json::parse(written("json", "\x9b\xff")));
  EXPECT_THAT(written("csv", "a\"b,\nc"), HasSubstr("\"a\"\"b,\nc\",1,2.0\r\n"));
}

}  // namespace
}  // namespace epochcast::table
