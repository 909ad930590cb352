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

TEST(Output, CutsRowsAfterSortingAndSaysHowManyThereWere) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  const Table table{.name = "runs",
                    .title = "Runs",
                    .columns = {number_column("loss", "loss", "", 0)},
                    .rows = {{3.0}, {1.0}, {2.0}}};
  testing::internal::CaptureStdout();
  write_tables({table}, cli::parse_command_line(spec, {"--sort", "loss", "--rows", "2"}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "Runs\nloss\n----\n   1\n   2\n* the first 2 of 3 rows\n");
  EXPECT_EQ(error_of([&] {
              write_tables({table}, cli::parse_command_line(spec, {"--rows", "0"}));
            }),
            "--rows: found '0', expected a whole number above 0");
}

TEST(ScaledTime, HasTheUnitThatFitsForReadersAndSecondsForPrograms) {
  const auto column = scaled_time_column("self_s", "self");
  EXPECT_EQ(cell_text(1.794, column), "1.794s");
  EXPECT_EQ(cell_text(0.84507, column), "845.070ms");
  EXPECT_EQ(cell_text(3.2154e-6, column), "3.215us");
  EXPECT_EQ(cell_text(0.0, column), "0.000us");
  EXPECT_EQ(number_text(0.84507, column), "0.84507");
}

}  // namespace
}  // namespace epochcast::table
