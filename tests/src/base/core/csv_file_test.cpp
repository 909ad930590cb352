#include "src/base/core/csv_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "tests/files.hpp"

namespace epochcast {
namespace {

class CsvFiles : public ::testing::Test {
 protected:
  CsvFile read(const std::string& text) const {
    set_bytes(path(), text);
    return CsvFile::read(path());
  }
  std::string path() const { return folder_ / "x.csv"; }

  TemporaryFolder folder_;
};

TEST_F(CsvFiles, AreReadByColumn) {
  const auto file = read("run,dur_s\r\na,1.5\r\n\"b,c\",nan\r\n");
  ASSERT_EQ(file.rows(), 2u);
  EXPECT_EQ(file.text(1, "run"), "b,c");
  EXPECT_DOUBLE_EQ(file.number(0, "dur_s").value(), 1.5);
  EXPECT_FALSE(file.number(1, "dur_s"));
  EXPECT_FALSE(file.number(0, "run"));
  EXPECT_FALSE(file.has("samples"));
  EXPECT_EQ(file.text(0, "samples"), "");
  EXPECT_EQ(file.place(1), path() + ":3");
}

TEST_F(CsvFiles, CountLinesWithinQuotedCells) {
  const auto file = read("run,dur_s\n\"a\nb\",1\nc,x\n");
  ASSERT_EQ(file.rows(), 2u);
  EXPECT_EQ(file.text(0, "run"), "a\nb");
  EXPECT_EQ(file.place(0), path() + ":2");
  EXPECT_EQ(file.place(1), path() + ":4");
  EXPECT_EQ(error_of([&] { read("a,b\n1,2\n\"3\n,4\n"); }),
            path() + ":3: found a quoted cell that never ends");
}

TEST_F(CsvFiles, MayBeCompressed) {
  read("a\n1\n");
  ASSERT_TRUE(process::run_command({"gzip", path()}, 10).ok());
  const auto packed = path() + ".gz";
  EXPECT_DOUBLE_EQ(CsvFile::read(packed).number(0, "a").value(), 1);
  set_bytes(packed, bytes_of(packed).substr(0, 20));
  EXPECT_THAT(error_of([&] { CsvFile::read(packed); }), testing::StartsWith(packed + ": gzip: "));
}

TEST_F(CsvFiles, ThatAreBrokenReportWhere) {
  EXPECT_EQ(error_of([&] { read(""); }), path() + ":1: found nothing, expected a header line");
  EXPECT_EQ(error_of([&] { read("a,b\n1,2\n3\n"); }),
            path() + ":3: found 1 cells, expected the 2 of the header");
  EXPECT_EQ(error_of([&] {
              read("dur,b\n").require({"b", "dur_s"});
            }),
            path() + ":1: no column 'dur_s'; did you mean 'dur'?");
  EXPECT_EQ(error_of([&] { CsvFile::read("/nowhere/x.csv"); }),
            "/nowhere/x.csv: cannot be read: No such file or directory");
}

TEST_F(CsvFiles, CountTheRowsThatCannotBeUsed) {
  const auto file = read("dur_s\n-1\n2\n\"\"\n");
  ExcludedRows excluded;
  EXPECT_FALSE(excluded.note());
  EXPECT_FALSE(positive(file, 0, "dur_s", excluded));
  EXPECT_TRUE(positive(file, 1, "dur_s", excluded));
  EXPECT_FALSE(positive(file, 2, "dur_s", excluded));
  EXPECT_EQ(excluded.note(), "2 rows left out; the first: " + path() +
                                 ":2: dur_s: found '-1', expected a number above 0");
}

}  // namespace
}  // namespace epochcast
