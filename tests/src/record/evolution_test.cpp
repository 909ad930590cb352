// Records of older and newer programs: what both know goes by name, the rest is a default or is
// ignored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/row_type.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"

namespace epochcast::record {

/// A row as another version of this program declares it: columns in another order, some gone, some
/// new.
struct OtherEpoch {
  FixedText<24> weather;
  double wall_s = 0;
  std::int64_t epoch = 0;
  std::int64_t phase = 0;
};
constexpr auto fields_of(Tag<OtherEpoch>) {
  return FieldTable{
      Field{"weather", "1", "Not known to us", &OtherEpoch::weather},
      Field{"wall_s", "s", "As ours", &OtherEpoch::wall_s},
      Field{"epoch", "epochs", "As ours", &OtherEpoch::epoch},
      Field{"phase", "1", "Not known to us", &OtherEpoch::phase},
  };
}

/// The iterations of programs that called a column by its old name.
struct OldIteration {
  std::int64_t index = 0;
  double exchange_s = 0;
};
constexpr auto fields_of(Tag<OldIteration>) {
  return FieldTable{Field{"index", "iterations", "Step", &OldIteration::index},
                    Field{"exchange_s", "s", "Old name", &OldIteration::exchange_s}};
}

struct WrongEpoch {
  FixedText<24> wall_s;
};
constexpr auto fields_of(Tag<WrongEpoch>) {
  return FieldTable{Field{"wall_s", "s", "A text", &WrongEpoch::wall_s}};
}

namespace {

using testing::HasSubstr;

h5::File file_of_version(const std::string& path, std::int64_t version) {
  auto file = h5::File::create(path);
  file.set_attribute("/", {"schema_version", h5::Kind::integer, sizeof(version)}, &version);
  return file;
}

TEST(Evolution, FieldsGoByNameInBothDirections) {
  const TemporaryFolder folder;
  {
    auto file = file_of_version(folder / "a.h5", 1);
    file.set_attribute("/", "point", "dcgan");
    file.set_attribute("/", "colour", "not known to us");
    const std::vector<OtherEpoch> rows{{"rain", 1.5, 7, 3}, {"sun", 2.5, 8, 4}};
    file.create_table("epochs", layout_of<OtherEpoch>()).write(0, rows.data(), rows.size());
    file.create_table("unknown", layout_of<OtherEpoch>()).write(0, rows.data(), rows.size());
  }
  const auto read = read_record(folder / "a.h5");
  EXPECT_EQ(read.header.point.view(), "dcgan");
  EXPECT_EQ(read.header.source.view(), "measured") << "not in the file: the default";
  ASSERT_EQ(read.epochs.size(), 2U);
  EXPECT_EQ(read.epochs[1].epoch, 8);
  EXPECT_EQ(read.epochs[1].wall_s, 2.5);
  EXPECT_EQ(read.epochs[1].samples, 0) << "not in the file: the default";
  EXPECT_TRUE(read.iterations.empty()) << "no such table in the file";
}

TEST(Evolution, ARenamedColumnIsReadUnderItsOldName) {
  const TemporaryFolder folder;
  const std::vector<OldIteration> rows{{1, 0.25}, {2, 0.5}};
  {
    auto file = file_of_version(folder / "a.h5", 1);
    file.create_table("iterations", layout_of<OldIteration>()).write(0, rows.data(), rows.size());
  }
  const auto read = read_record(folder / "a.h5");
  ASSERT_EQ(read.iterations.size(), 2U);
  EXPECT_EQ(read.iterations[1].index, 2);
  EXPECT_EQ(read.iterations[1].gradient_sync_wait_s, 0.5);

  set_bytes(folder / "a.jsonl",
            "{\"table\":\"iterations\",\"index\":1,\"exchange_s\":0.25}\n"
            "{\"table\":\"iterations\",\"index\":2,\"gradient_sync_wait_s\":0.5}\n");
  const auto lines = read_json_lines(folder / "a.jsonl").record.iterations;
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].gradient_sync_wait_s, 0.25);
  EXPECT_EQ(lines[1].gradient_sync_wait_s, 0.5);
}

TEST(Evolution, ANewerSchemaIsRefusedInOneLine) {
  const TemporaryFolder folder;
  file_of_version(folder / "a.h5", record_schema_version + 1).close();
  EXPECT_EQ(error_of([&] { read_record(folder / "a.h5"); }),
            (folder / "a.h5") +
                ": written with schema version 2, this program reads up to 1; a newer epochcast "
                "can read it");
}

TEST(Evolution, AnotherHdf5FileIsNotARecord) {
  const TemporaryFolder folder;
  h5::File::create(folder / "a.h5").close();
  EXPECT_THAT(error_of([&] { read_record(folder / "a.h5"); }),
              HasSubstr("not a record of epochcast"));
}

TEST(Evolution, AFieldOfAnotherTypeIsRefusedByName) {
  const TemporaryFolder folder;
  {
    auto file = file_of_version(folder / "a.h5", 1);
    const WrongEpoch row{"1.5"};
    file.create_table("epochs", layout_of<WrongEpoch>()).write(0, &row, 1);
  }
  EXPECT_THAT(error_of([&] { read_record(folder / "a.h5"); }),
              HasSubstr("'wall_s' is not of the expected type"));
}

TEST(Evolution, TheSchemaPageIsTheGoldenOne) {
  expect_golden(schema_page(), "../../docs/reference/record.md");
}

}  // namespace
}  // namespace epochcast::record
