// Records of older versions: fields that had another name, values that had another spelling, no
// cause of failure.
#include <gmock/gmock.h>

#include <regex>

#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"

namespace epochcast::record {
namespace {

/// The columns of /iterations before gradient_sync_wait_s got its name.
struct OldIteration {
  std::int64_t index = 0;
  double exchange_s = 0;
};
constexpr auto fields_of(Tag<OldIteration>) {
  return FieldTable{Field{"index", "1", "", &OldIteration::index},
                    Field{"exchange_s", "s", "", &OldIteration::exchange_s}};
}

TEST(OldNames, AreReadFromHdf5) {
  const TemporaryFolder folder;
  auto file = h5::File::create(folder / "old.h5");
  write_header(file, RecordHeader{});
  const std::vector<OldIteration> rows{{0, 0.25}, {1, 0.5}};
  file.create_table("iterations", layout_of<OldIteration>()).write(0, rows.data(), rows.size());
  file.close();
  const auto read = read_record(folder / "old.h5");
  ASSERT_EQ(read.iterations.size(), 2u);
  EXPECT_EQ(read.iterations[1].index, 1);
  EXPECT_EQ(read.iterations[1].gradient_sync_wait_s, 0.5);
}

TEST(OldNames, AreReadFromJsonLines) {
  const TemporaryFolder folder;
  Record made;
  made.iterations.push_back({.index = 1, .gradient_sync_wait_s = 0.5});
  write_record(folder / "a.h5", made);
  auto text = bytes_of(folder / "a.jsonl");
  const std::string present = "\"gradient_sync_wait_s\"";
  ASSERT_NE(text.find(present), std::string::npos);
  text.replace(text.find(present), present.size(), "\"exchange_s\"");
  // Lines of that time had no checksum.
  set_bytes(folder / "a.jsonl",
            std::regex_replace(text, std::regex(",\"crc32\":\"[0-9a-f]*\""), ""));
  EXPECT_EQ(read_json_lines(folder / "a.jsonl").record.iterations.at(0).gradient_sync_wait_s, 0.5);
}

TEST(OldValues, OfProcedureAreReadInTheirPresentSpelling) {
  const TemporaryFolder folder;
  Record made;
  made.parameters.push_back({"procedure", "lab", "text", "1"});
  made.parameters.push_back({"experiment", "lab", "text", "1"});
  write_record(folder / "a.h5", made);
  for (const auto& read :
       {read_record(folder / "a.h5"), read_json_lines(folder / "a.jsonl").record}) {
    EXPECT_EQ(parameter(read, "procedure"), "reference");
    EXPECT_EQ(parameter(read, "experiment"), "lab");
  }
}

TEST(Cause, OfAnOldRecordFollowsFromItsText) {
  const auto cause = [](const char* outcome, const char* text) {
    RecordHeader header;
    header.outcome = outcome;
    header.outcome_text = text;
    return cause_of(header);
  };
  using run::FailureCause;
  EXPECT_EQ(cause("failed", "out of memory on the device: 2 GiB"), FailureCause::out_of_memory);
  EXPECT_EQ(cause("lost", "OUT_OF_MEMORY, exit 0:125"), FailureCause::out_of_memory);
  EXPECT_EQ(cause("lost", "TIMEOUT"), FailureCause::time_limit);
  EXPECT_EQ(cause("lost", "NODE_FAIL"), FailureCause::other);
  EXPECT_EQ(cause("complete", ""), FailureCause::none);
}

TEST(Cause, IsWrittenAndReadWithTheOutcome) {
  const TemporaryFolder folder;
  RecordWriter(folder / "a.h5", Record{})
      .finish(run::Outcome::failed, "no memory left", run::FailureCause::out_of_memory);
  const auto header = read_record(folder / "a.h5").header;
  EXPECT_EQ(outcome_of(header), run::Outcome::failed);
  EXPECT_EQ(cause_of(header), run::FailureCause::out_of_memory);
}

}  // namespace
}  // namespace epochcast::record
