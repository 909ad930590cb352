// Records whose job is gone get an outcome.
#include <gmock/gmock.h>

#include <chrono>
#include <tuple>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"
#include "tests/src/record/same.hpp"

namespace epochcast::record {
namespace {

using run::FailureCause;
using run::Outcome;
using testing::HasSubstr;

TEST(CloseRecord, GivesARecordWhoseJobIsGoneItsOutcome) {
  const TemporaryFolder folder;
  { const RecordWriter killed(folder / "a.h5", made_record()); }
  const auto lines = bytes_of(folder / "a.jsonl");
  set_bytes(folder / "a.jsonl", lines + "{\"table\":\"epo");  // torn by the kill
  EXPECT_TRUE(
      close_record(folder / "a.h5", Outcome::lost, "node failed", FailureCause::node_failure));
  const auto read = read_record(folder / "a.h5");
  EXPECT_EQ(read.header.outcome.view(), "lost");
  EXPECT_EQ(read.header.outcome_text.view(), "node failed");
  EXPECT_FALSE(read.header.finished_at.view().empty());
  EXPECT_EQ(read_json_lines(folder / "a.jsonl").record.header.outcome.view(), "lost");
  expect_same_tables(read, made_record());
  EXPECT_TRUE(verify_record(folder / "a.h5").consistent) << verify_record(folder / "a.h5").text;
}

/// A running record of which `in_file` epochs reached the HDF5 file and `in_lines` the lines.
void write_behind(const std::string& path, std::int64_t in_file, std::int64_t in_lines) {
  std::string before;
  {
    RecordWriter writer(path, Record{});
    const auto append = [&](std::int64_t from, std::int64_t to) {
      for (auto i = from; i < to; ++i) {
        writer.append(Epoch{.epoch = i, .start_s = static_cast<double>(i), .wall_s = 0.9});
      }
      writer.flush();
    };
    append(0, in_file);
    before = bytes_of(path);
    append(in_file, in_lines);
  }
  set_bytes(path, before);
}

TEST(CloseRecord, AddsTheRowsThatOnlyTheLinesHave) {
  const TemporaryFolder folder;
  for (const std::int64_t in_file : {0, 3, 700}) {
    const auto path = folder / fmt::format("a{}.h5", in_file);
    write_behind(path, in_file, 1221);
    EXPECT_TRUE(close_record(path, Outcome::lost, "gone", FailureCause::other));
    EXPECT_EQ(read_record(path).epochs.size(), 1221U);
    EXPECT_TRUE(verify_record(path).consistent) << verify_record(path).text;
  }
}

TEST(CloseRecord, AddsNoRowsWhosePlacesADamagedLineMadeUnknown) {
  const TemporaryFolder folder;
  for (const auto* damaged : {R"("epoch":1,)", R"("epoch":6,)"}) {
    const auto path = folder / fmt::format("a{}.h5", damaged[8]);
    write_behind(path, 4, 9);
    auto lines = bytes_of(json_lines_path(path));
    lines[lines.find(damaged) + 8] = '3';
    set_bytes(json_lines_path(path), lines);
    EXPECT_TRUE(close_record(path, Outcome::lost, "gone", FailureCause::other));
    EXPECT_EQ(read_record(path).epochs.size(), 4U);
    EXPECT_FALSE(verify_record(path).consistent);
  }
}

TEST(CloseRecord, AddsNoRowsAfterALineWhoseTableIsDamaged) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_behind(path, 4, 9);
  auto lines = bytes_of(json_lines_path(path));
  lines[lines.find(R"({"table":"epochs","epoch":1,)") + 3] = 'X';
  set_bytes(json_lines_path(path), lines);
  EXPECT_TRUE(close_record(path, Outcome::lost, "gone", FailureCause::other));
  EXPECT_EQ(read_record(path).epochs.size(), 4U);
  EXPECT_FALSE(verify_record(path).consistent);
}

TEST(Salvage, RebuildsARunThatWroteNoMoreThanItsLines) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_behind(path, 2, 9);
  EXPECT_TRUE(verify_record(path).consistent) << "a run that goes on";
  EXPECT_EQ(RecordReader().read_consistent(path, Rows::all).epochs.size(), 2U);
  const auto lines = json_lines_path(path);
  std::filesystem::last_write_time(
      lines, std::filesystem::last_write_time(lines) - std::chrono::minutes(2));
  EXPECT_THAT(verify_record(path).text, HasSubstr("epochs has 2 rows, the JSON lines have 9; "
                                                  "'epochcast-analyze salvage' rebuilds"));
  EXPECT_THAT(error_of([&] { std::ignore = RecordReader().read_consistent(path, Rows::all); }),
              HasSubstr("verify"));
  EXPECT_EQ(read_record(salvage_record(path)).epochs.size(), 9U);
}

TEST(CloseRecord, KeepsTheOutcomeOfARecordThatEnded) {
  const TemporaryFolder folder;
  RecordWriter(folder / "a.h5", Record{}).finish(run::Outcome::complete, "");
  EXPECT_FALSE(close_record(folder / "a.h5", Outcome::lost, "", FailureCause::other));
  EXPECT_EQ(read_record(folder / "a.h5").header.outcome.view(), "complete");
}

TEST(CloseRecord, WorksOnTheLinesWhereTheFileIsMissingOrDamaged) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  set_bytes(folder / "a.h5", "damaged");
  EXPECT_THAT(error_of([&] {
                std::ignore =
                    close_record(folder / "a.h5", Outcome::lost, "gone", FailureCause::other);
              }),
              HasSubstr("salvage"));
  EXPECT_EQ(bytes_of(folder / "a.h5"), "damaged");
  std::filesystem::remove(folder / "a.h5");
  EXPECT_FALSE(close_record(folder / "a.h5", Outcome::lost, "gone", FailureCause::other))
      << "the lines have the outcome of the first call";
  EXPECT_EQ(read_record(salvage_record(folder / "a.h5")).header.outcome_text.view(), "gone");
}

TEST(CloseRecord, WorksWithoutLines) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  std::filesystem::remove(folder / "a.jsonl");
  EXPECT_TRUE(
      close_record(folder / "a.h5", Outcome::failed, "out of memory", FailureCause::out_of_memory));
  EXPECT_EQ(read_record(folder / "a.h5").header.outcome_text.view(), "out of memory");
}

}  // namespace
}  // namespace epochcast::record
