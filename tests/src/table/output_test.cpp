#include "src/table/output.hpp"

#include <gmock/gmock.h>

#include "tests/files.hpp"

namespace epochcast::table {
namespace {

Table named(const std::string& name) {
  return {.name = name, .title = name, .columns = {text_column("key", "key")}, .rows = {{name}}};
}

std::string printed_part(const std::string& part) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  testing::internal::CaptureStdout();
  write_tables({named("lab"), named("excluded")},
               cli::parse_command_line(spec, {"--format", "csv", "--part", part}));
  return testing::internal::GetCapturedStdout();
}

TEST(Output, PrintsOnePartAlsoUnderItsFormerName) {
  EXPECT_EQ(printed_part("excluded"), "key\r\nexcluded\r\n");
  EXPECT_EQ(printed_part("left_out"), printed_part("excluded"));
  EXPECT_EQ(error_of([] { printed_part("lba"); }),
            "--part: no table 'lba' here; did you mean 'lab'?");
}

std::string printed_sorted(const std::string& key) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  Table table{.name = "runs",
              .title = "Runs",
              .columns = {text_column("name", "name"), number_column("loss", "loss", "", 1)},
              .rows = {{"b", 10.0}, {"c", {}}, {"a", 9.0}}};
  testing::internal::CaptureStdout();
  write_tables({table}, cli::parse_command_line(spec, {"--format", "csv", "--sort", key}));
  return testing::internal::GetCapturedStdout();
}

TEST(Output, SortsRowsByAColumnAndPutsRowsWithoutAValueLast) {
  EXPECT_EQ(printed_sorted("loss"), "name,loss\r\na,9.0\r\nb,10.0\r\nc,\r\n");
  EXPECT_EQ(printed_sorted("loss:desc"), "name,loss\r\nb,10.0\r\na,9.0\r\nc,\r\n");
  EXPECT_EQ(printed_sorted("name:desc"), "name,loss\r\nc,\r\nb,10.0\r\na,9.0\r\n");
  EXPECT_EQ(error_of([] { printed_sorted("los"); }),
            "--sort: no column 'los' here; did you mean 'loss'?");
}

}  // namespace
}  // namespace epochcast::table
