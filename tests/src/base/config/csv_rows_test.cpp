#include "src/base/config/csv_rows.hpp"

#include <gtest/gtest.h>

namespace epochcast::run {
namespace {

struct Pair {
  std::string name;
  double time_s = 0;
};
constexpr auto fields_of(Tag<Pair>) {
  return FieldTable{Field{"name", "1", "", &Pair::name}, Field{"time_s", "s", "", &Pair::time_s}};
}

TEST(RowsOfCsv, SaysAboutTenThousandDamagedLinesAndNoMore) {
  std::string text = "name,time_s\na,1\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "x\n";
  }
  std::vector<std::string> damaged;
  EXPECT_EQ(rows_of_csv<Pair>("f.csv", text, "name", "pairs", &damaged).size(), 1U);
  ASSERT_EQ(damaged.size(), 10'001U);
  EXPECT_EQ(damaged.back(), "f.csv: more lines that cannot be read");
}

}  // namespace
}  // namespace epochcast::run
