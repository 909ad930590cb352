#include "src/output/table/output.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>

#include "tests/files.hpp"

namespace epochcast::table {
namespace {

Table named(const std::string& name) {
  return {.name = name, .title = name, .columns = {text_column("key", "key")}, .rows = {{name}}};
}

/// What `work` prints; nothing stays captured where it throws.
std::string printed_by(const std::function<void()>& work) {
  testing::internal::CaptureStdout();
  try {
    work();
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

std::string printed_part(const std::string& part) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  return printed_by([&] {
    write_tables({named("lab"), named("excluded")},
                 cli::parse_command_line(spec, {"--format", "csv", "--part", part}));
  });
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
  return printed_by([&] {
    write_tables({table}, cli::parse_command_line(spec, {"--format", "csv", "--sort", key}));
  });
}

/// A second table would go to a file beside the device.
TEST(Output, OfSeveralTablesADeviceGetsTheFirst) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  testing::internal::CaptureStderr();
  write_tables({named("lab"), named("excluded")},
               cli::parse_command_line(spec, {"--format", "csv", "-o", "/dev/null"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("not printed: excluded"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.excluded"));
}

TEST(Output, SortsRowsByAColumnAndPutsRowsWithoutAValueLast) {
  EXPECT_EQ(printed_sorted("loss"), "name,loss\r\na,9.0\r\nb,10.0\r\nc,\r\n");
  EXPECT_EQ(printed_sorted("loss:desc"), "name,loss\r\nb,10.0\r\na,9.0\r\nc,\r\n");
  EXPECT_EQ(printed_sorted("name:desc"), "name,loss\r\nc,\r\nb,10.0\r\na,9.0\r\n");
  EXPECT_EQ(error_of([] { printed_sorted("los"); }),
            "--sort: no column 'los' here; did you mean 'loss'?");
}

std::string printed(const Table& table, const std::vector<std::string>& words) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  return printed_by([&] { write_tables({table}, cli::parse_command_line(spec, words)); });
}

TEST(Output, SortsByTheBestResultFromItsBetterEnd) {
  Table table{.name = "runs",
              .title = "Runs",
              .columns = {text_column("name", "name"), number_column("best_loss", "loss", "", 0)},
              .rows = {{"b", 2.0}, {"c", {}}, {"a", 1.0}}};
  EXPECT_EQ(printed(table, {"--format", "csv", "--sort", "best"}),
            "name,best_loss\r\na,1\r\nb,2\r\nc,\r\n");
  table.columns[1].key = "best_accuracy";
  EXPECT_EQ(printed(table, {"--format", "csv", "--sort", "best"}),
            "name,best_accuracy\r\nb,2\r\na,1\r\nc,\r\n");
  table.columns[1].key = "loss";
  EXPECT_EQ(error_of([&] {
              printed(table, {"--sort", "best"});
            }),
            "--sort: no column 'best' here; known: name, loss");
}

TEST(Output, AColumnOfByThatIsCalledLikeAnotherOneKeepsItsValues) {
  const Table table{
      .name = "history",
      .title = "History",
      .columns = {text_column("limit_s", "limit_s"), number_column("limit_s", "limit", "s", 0)},
      .rows = {{"60", 100.0}}};
  EXPECT_EQ(printed(table, {"--format", "csv"}), "by_limit_s,limit_s\r\n60,100\r\n");
  const Table same{.name = "runs",
                   .title = "Runs",
                   .columns = {text_column("host", "host"), text_column("host", "host")},
                   .rows = {{"node1", "node1"}}};
  EXPECT_EQ(printed(same, {"--format", "csv"}), "host\r\nnode1\r\n");
}

TEST(Output, TextObeysColumnsAndDataDoesNot) {
  const std::string long_text(40, 'x');
  const Table table{.name = "runs",
                    .title = "Runs",
                    .columns = {text_column("name", "name"), text_column("why", "why")},
                    .rows = {{"a", long_text}}};
  setenv("COLUMNS", "36", 1);
  const auto text = printed(table, {});
  const auto csv = printed(table, {"--format", "csv"});
  unsetenv("COLUMNS");
  EXPECT_EQ(text.find(long_text), std::string::npos) << text;
  EXPECT_NE(csv.find(long_text), std::string::npos) << csv;
  EXPECT_NE(printed(table, {}).find(long_text), std::string::npos);
}

/// What is printed, and on stderr, of a table with a detail.
std::string printed_with(const std::vector<std::string>& words) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = output_options()};
  const Table table{.name = "lab",
                    .title = "Lab",
                    .columns = {text_column("name", "name"),
                                Column{.key = "device", .heading = "device", .detail = true},
                                number_column("time_s", "time", "", 0)},
                    .rows = {{"a", "cpu", 9.0}}};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  write_tables({table, named("excluded")}, cli::parse_command_line(spec, words));
  return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
}

TEST(Output, LeavesDetailsOutOfFormatsForReadersAndNamesThem) {
  using testing::HasSubstr;
  using testing::Not;
  EXPECT_THAT(printed_with({}), Not(HasSubstr("cpu")));
  EXPECT_THAT(printed_with({}), HasSubstr("table lab: not shown: device (--wide shows all"));
  EXPECT_THAT(printed_with({"--wide"}), HasSubstr("cpu"));
  EXPECT_THAT(printed_with({"--format", "csv"}), HasSubstr("name,device,time_s"));
}

TEST(Output, PrintsTheChosenColumnsInTheirOrder) {
  const auto text =
      printed_with({"--format", "csv", "--part", "lab", "--columns", "time_s,device"});
  EXPECT_EQ(text, "time_s,device\r\n9,cpu\r\n");
  EXPECT_EQ(error_of([] {
              printed_with({"--columns", "name,devise"});
            }),
            "--columns: no column 'devise' here; did you mean 'device'?");
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
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
