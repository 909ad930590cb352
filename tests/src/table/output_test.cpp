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

}  // namespace
}  // namespace epochcast::table
