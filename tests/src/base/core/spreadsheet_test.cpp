#include "src/base/core/spreadsheet.hpp"

#include <gtest/gtest.h>

namespace epochcast {
namespace {

TEST(Spreadsheet, GetsFormulasAsText) {
  for (const auto* formula :
       {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "--lr 0.1", "=", "-"}) {
    EXPECT_EQ(spreadsheet_text(formula), "'" + std::string(formula));
    EXPECT_EQ(from_spreadsheet(spreadsheet_text(formula)), formula);
  }
}

TEST(Spreadsheet, GetsNumbersAndOtherTextAsTheyAre) {
  for (const auto* text :
       {"-1.5", "+3", "-1e-9", "", "a=b", "1-2", "'quoted'", "'", "é", "a\nb\tc"}) {
    EXPECT_EQ(spreadsheet_text(text), text);
    EXPECT_EQ(from_spreadsheet(text), text);
  }
}

TEST(Spreadsheet, GetsNothingThatATerminalExecutes) {
  EXPECT_EQ(spreadsheet_text("a\x1b[2Jb"), "a\\x1b[2Jb");
}

}  // namespace
}  // namespace epochcast
