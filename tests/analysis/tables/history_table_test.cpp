// From the text of sacct to the table of past jobs; the job histories are simulated.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/program.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* header =
    "JobID|JobName|User|WorkDir|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocTRES"
    "|SubmitLine\n";

/// Jobs of a script, an hour apart, with log-normal times of about half an hour and limits of 4 h.
std::string jobs_text(const std::string& name, int count, int first_id, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> law(7.5, 0.2);
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int day = 1 + i / 24;
    const auto stamp = fmt::format("2026-{:02}-{:02}T{:02}", 1 + day / 28, 1 + day % 28, i % 24);
    const int elapsed_s = std::min(3599, int(law(random)));
    text += fmt::format(
        "{}|{}|alice|/home/alice|gpu|COMPLETED|{}:00:00|{}:00:00|{}:59:59|{}|240|cpu=4,gres/gpu=1,"
        "node=1|sbatch -t 240 {}.sh\n",
        first_id + i, name, stamp, stamp, stamp, elapsed_s, name);
  }
  return text;
}

class HistoryTable : public ::testing::Test {
 protected:
  process::CommandResult import(const std::string& text, std::vector<std::string> words = {}) {
    set_bytes(folder_ / "jobs.txt", text);
    words.insert(words.begin(), {"import", "sacct", folder_ / "jobs.txt", "-o", out()});
    return analyze(words);
  }
  table::Table table(const TableOptions& options = {}) {
    return tables::all().at("history").of_files({out()}, options).at(0);
  }
  double number(const table::Table& table, const std::string& column, std::size_t row = 0) {
    return number_in(table, column, row);
  }
  static double number_in(const table::Table& table, const std::string& column, std::size_t row) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == column) {
        const auto* value = std::get_if<double>(&table.rows.at(row).at(i));
        EXPECT_NE(value, nullptr) << column;
        return value == nullptr ? 0 : *value;
      }
    }
    ADD_FAILURE() << "no column " << column;
    return 0;
  }
  std::string out() const { return folder_ / "history"; }

  TemporaryFolder folder_;
};

TEST_F(HistoryTable, HasQuantilesCoverageAndWhatUsersAskedFor) {
  const auto imported = import(header + jobs_text("train", 400, 1, 1));
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("history/history.csv"));
  EXPECT_THAT(imported.err, HasSubstr("jobs.txt: 400 jobs"));
  const auto history = table();
  ASSERT_THAT(history.rows, SizeIs(2)) << "the group, and all";
  EXPECT_EQ(number(history, "n"), 400);
  EXPECT_NEAR(number(history, "median_s"), std::exp(7.5), 60);
  EXPECT_NEAR(number(history, "low_80_s"), std::exp(7.5 - 1.28 * 0.2), 130);
  EXPECT_NEAR(number(history, "high_95_s"), std::exp(7.5 + 1.96 * 0.2), 250);
  EXPECT_EQ(number(history, "scored"), 300) << "the newest batches";
  EXPECT_NEAR(number(history, "coverage_80_percent"), 80, 8);
  EXPECT_NEAR(number(history, "coverage_95_percent"), 95, 4);
  EXPECT_GE(number(history, "within_limit_percent"), 97);
  const double asked_per_used = number(history, "asked_per_used");
  EXPECT_NEAR(asked_per_used, 4 * 3600 / std::exp(7.5 + 0.02), 0.5);
  EXPECT_LT(number(history, "limit_per_used"), 2) << "the forecast's limits ask for less";
  EXPECT_NEAR(number(history, "wasted_percent"), 100 - 100 / asked_per_used, 1e-9);
  EXPECT_EQ(number(history, "at_limit_percent"), 0);
}

TEST_F(HistoryTable, GroupsByScriptAndResourcesOrByRequest) {
  import(header + jobs_text("a", 40, 1, 1) + jobs_text("b", 30, 100, 2) +
         jobs_text("c", 3, 200, 3));
  const auto history = table();
  ASSERT_THAT(history.rows, SizeIs(4));
  EXPECT_EQ(std::get<std::string>(history.rows[2][0]), "1 group of fewer than 9 jobs");
  EXPECT_EQ(number(history, "n", 2), 3);
  EXPECT_EQ(number(history, "n", 3), 73);
  EXPECT_THAT(table({.by = {"user"}}).rows, SizeIs(2));
  EXPECT_THAT(error_of([&] { table({.by = {"users"}}); }), HasSubstr("did you mean 'user'?"));
}

TEST_F(HistoryTable, AGroupOfALimitHasItBesideTheOneThatIsForecast) {
  import(header + jobs_text("a", 60, 1, 1));
  const auto history = table({.by = {"limit_s"}});
  EXPECT_EQ(std::get<std::string>(history.rows[0][0]), "14400");
  EXPECT_LT(number(history, "limit_s"), 14400);
  std::set<std::string> keys;
  for (const auto& column : history.columns) {
    EXPECT_TRUE(keys.insert(column.key).second) << column.key;
  }
}

TEST_F(HistoryTable, TakesJobsByName) {
  const auto text = header + jobs_text("train-a", 10, 1, 1) + jobs_text("other", 10, 100, 2);
  EXPECT_THAT(import(text, {"--name", "train-*"}).err,
              HasSubstr("10 jobs; 10 jobs of another name"));
  EXPECT_THAT(history::read_history(out()), SizeIs(10));
  EXPECT_EQ(import(text, {"--name", "nothing"}).status, 1);
  EXPECT_EQ(import(text, {"--name", "/(/"}).status, 2);
  import(text, {"--name", "train-*", "--name", "/^oth/"});
  EXPECT_THAT(history::read_history(out()), SizeIs(20)) << "the same jobs are there once";
}

/// The commands of docs/howto/history.md, on a simulated jobs.txt.
TEST_F(HistoryTable, TheCommandsOfItsGuideWork) {
  set_bytes(folder_ / "jobs.txt", header + jobs_text("train-7", 40, 1, 1));
  std::size_t commands = 0;
  for (const auto& line :
       split(bytes_of(std::string(EPOCHCAST_SOURCE_DIR) + "/docs/howto/history.md"), '\n')) {
    if (!line.starts_with("epochcast-analyze ")) {
      continue;
    }
    ++commands;
    const auto answer = process::run_command(
        {"sh", "-c", "cd " + folder_.path() + " && PATH=" EPOCHCAST_BINARY_DIR ":$PATH && " + line},
        60);
    EXPECT_EQ(answer.status, 0) << line << "\n" << answer.err;
    EXPECT_THAT(answer.out, ::testing::ContainsRegex("history.csv|train-7 .* 40 ")) << line;
  }
  EXPECT_EQ(commands, 4u);
}

TEST_F(HistoryTable, SaysWhatItNeeds) {
  const auto answer = analyze({"table", "history"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("import sacct FILE -o DIR"));
  EXPECT_THAT(analyze({"import", "sacct", folder_ / "none", "-o", out()}).status, 2);
}

}  // namespace
}  // namespace epochcast::analysis
