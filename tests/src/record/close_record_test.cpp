// Records whose job is gone get an outcome.
#include <gmock/gmock.h>

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
