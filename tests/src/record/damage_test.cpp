// Damaged, foreign and hostile files: one clear line or the right rows, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"
#include "tests/src/record/same.hpp"

namespace epochcast::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Record finished_record() {
  auto made = made_record();
  made.header.outcome = "complete";
  return made;
}

TEST(Damage, WhatIsNoRecordIsRefusedInOneLine) {
  const TemporaryFolder folder;
  set_bytes(folder / "text.h5", "not HDF5 at all\n");
  set_bytes(folder / "empty.h5", "");
  const struct {
    std::string path, expected;
  } cases[] = {
      {folder / "text.h5", "text.h5: damaged, or not HDF5"},
      {folder / "empty.h5", "empty.h5: damaged, or not HDF5"},
      {folder / "missing.h5", "missing.h5: no such file"},
      {folder.path(), "found a folder, expected a record"},
  };
  for (const auto& [path, expected] : cases) {
    EXPECT_THAT(error_of([&] { read_record(path); }),
                AllOf(HasSubstr(expected), Not(HasSubstr("\n"))));
  }
}

TEST(FindRecords, SearchesFoldersAndTakesFilesAsTheyAre) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "out/records");
  write_record(folder / "out/records/b.h5", Record{});
  write_record(folder / "out/records/a.h5", Record{});
  set_bytes(folder / "out/submissions.jsonl", "{\"time\":1}\n");  // lines, but not of a record
  set_bytes(folder / "out/records/c.h5.new", "killed while it was made");
  const std::vector expected{folder / "out/records/a.h5", folder / "out/records/b.h5"};
  EXPECT_EQ(find_records({folder.path()}), expected);
  EXPECT_EQ(find_records({folder / "out/records/b.h5", folder / "out"}), expected) << "none twice";
  EXPECT_EQ(find_records({}), std::vector<std::string>{});
  EXPECT_THAT(error_of([&] { find_records({folder / "missing"}); }),
              HasSubstr("missing: no such file or folder"));
}

TEST(Damage, ATruncatedRecordReportsWhatSalvageCanDo) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_record(path, made_record());
  const auto whole = bytes_of(path);
  for (const double part : {0.001, 0.1, 0.5, 0.99}) {
    set_bytes(path,
              whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * part)));
    EXPECT_THAT(error_of([&] { read_record(path); }),
                AllOf(HasSubstr("a.h5: damaged"), HasSubstr("salvage"), HasSubstr("a.jsonl"),
                      Not(HasSubstr("\n"))));
  }
}

TEST(Damage, VerifyDistinguishesIntactFromDamaged) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_record(path, finished_record());
  EXPECT_TRUE(verify_record(path).readable);
  EXPECT_TRUE(verify_record(path).consistent) << verify_record(path).text;
  EXPECT_EQ(verify_record(path).text, "ok, complete, 3 epochs, 3 iterations");

  set_bytes(path, bytes_of(path).substr(0, 5000));
  EXPECT_FALSE(verify_record(path).readable);
  EXPECT_FALSE(verify_record(path).consistent);
}

TEST(Damage, VerifyFindsRowsThatCannotBe) {
  const struct {
    std::string expected;
    void (*spoil)(Record&);
  } cases[] = {
      {"unknown outcome 'done'", [](Record& record) { record.header.outcome = "done"; }},
      {"epochs.wall_s is -1", [](Record& record) { record.epochs[1].wall_s = -1; }},
      {"iterations.step_s is nan",
       [](Record& record) { record.iterations[2].step_s = std::nan(""); }},
      {"stream_batches.start_s is -1",
       [](Record& record) { record.stream_batches.assign(1, {.start_s = -1}); }},
      {"stream_batches.triggered_s is -inf",
       [](Record& record) { record.stream_batches.assign(1, {.triggered_s = -HUGE_VAL}); }},
      {"spans.duration_s is inf", [](Record& record) { record.spans[0].duration_s = HUGE_VAL; }},
      {"epochs.samples is -5", [](Record& record) { record.epochs[1].samples = -5; }},
      {"iterations.samples is -1", [](Record& record) { record.iterations[1].samples = -1; }},
      {"epochs are not in order",
       [](Record& record) { record.epochs[2].epoch = record.epochs[1].epoch; }},
      {"iterations of rank 0 are not in order",
       [](Record& record) { record.iterations.assign(2, Iteration{}); }},
  };
  for (const auto& [expected, spoil] : cases) {
    const TemporaryFolder folder;
    auto record = finished_record();
    spoil(record);
    write_record(folder / "a.h5", record);
    const auto verdict = verify_record(folder / "a.h5");
    EXPECT_TRUE(verdict.readable);
    EXPECT_FALSE(verdict.consistent);
    EXPECT_THAT(verdict.text, HasSubstr(expected));
  }
}

/// Three epochs of 10 s in a run of 32 s.
Record measured_record() {
  Record record;
  record.header.outcome = "complete";
  record.header.created_at = "2026-11-26T09:00:00+00:00";
  record.header.finished_at = "2026-11-26T09:00:32+00:00";
  for (const std::int64_t epoch : {0, 1, 2}) {
    record.epochs.push_back(
        {.epoch = epoch, .start_s = 1 + 10 * static_cast<double>(epoch), .wall_s = 10});
  }
  return record;
}

TEST(Damage, VerifyFindsTimesThatCannotBeThoseOfOneRun) {
  const struct {
    std::string expected;
    void (*spoil)(Record&);
  } cases[] = {
      {"ok, complete", [](Record&) {}},
      {"epoch 1 begins at 5.000 s, before the end of epoch 0 at 11.000 s",
       [](Record& record) { record.epochs[1].start_s = 5; }},
      {"epoch 2 begins at 0.000 s", [](Record& record) { record.epochs[2].start_s = 0; }},
      {"epoch 2 ends 1000031.000 s after the start of a run of 32 s",
       [](Record& record) { record.epochs[2].start_s += 1e6; }},
      {"epoch 2 ends 521.000 s", [](Record& record) { record.epochs[2].wall_s = 500; }},
      {"a step of epoch 0 ends 5000.000 s",
       [](Record& record) { record.iterations.push_back({.start_s = 4999, .step_s = 1}); }},
      {"ok, complete",
       [](Record& record) {
         record.header.source = "imported:log";
         record.epochs[1].start_s = 5;
       }},
  };
  for (const auto& [expected, spoil] : cases) {
    const TemporaryFolder folder;
    auto record = measured_record();
    spoil(record);
    write_record(folder / "a.h5", record);
    EXPECT_THAT(verify_record(folder / "a.h5").text, HasSubstr(expected));
  }
}

/// Of 600 files with a flipped byte, five gave other tables without a word.
TEST(Damage, AFlippedByteOfAnEpochIsNeverReadInSilence) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  auto record = measured_record();
  record.epochs[1].wall_s = 9.87654321;
  write_record(path, record);
  const auto whole = bytes_of(path);
  std::string number(sizeof(double), '\0');
  std::memcpy(number.data(), &record.epochs[1].wall_s, sizeof(double));
  const auto at = whole.find(number);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t byte = at; byte < at + sizeof(double); ++byte) {
    auto damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0x10);
    set_bytes(path, damaged);
    EXPECT_THAT(error_of([&] { read_record(path); }), HasSubstr("salvage"));
  }
}

TEST(Damage, ATableIsNotMadeOfEpochsThatDifferFromTheJsonLines) {
  const TemporaryFolder folder;
  auto record = measured_record();
  write_record(folder / "a.h5", record);
  RecordReader reader;
  EXPECT_EQ(reader.read_consistent(folder / "a.h5", Rows::all).epochs.size(), 3U);
  record.epochs[1].wall_s = 9;
  write_record(folder / "b.h5", record);
  std::filesystem::rename(folder / "b.jsonl", folder / "a.jsonl");
  EXPECT_THAT(error_of([&] { reader.read_consistent(folder / "a.h5", Rows::all); }),
              HasSubstr("a.h5: its epochs differ from its JSON lines"));
}

TEST(Damage, ABatchMayBeReleasedBeforeItsConsumerStarts) {
  const TemporaryFolder folder;
  auto record = finished_record();
  record.stream_batches.assign(1, {.triggered_s = -5, .start_s = 1, .end_s = 2, .durable_s = 2});
  write_record(folder / "a.h5", record);
  EXPECT_TRUE(verify_record(folder / "a.h5").consistent) << verify_record(folder / "a.h5").text;
}

TEST(Damage, VerifyComparesWithTheJsonLines) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_record(path, finished_record());
  const auto lines = bytes_of(folder / "a.jsonl");

  set_bytes(folder / "a.jsonl", lines.substr(0, lines.rfind("{\"table\":\"probes\"")));
  EXPECT_THAT(verify_record(path).text, HasSubstr("probes has 3 rows, the JSON lines have 2"));

  auto changed = lines;
  changed.replace(changed.find("\"wall_s\":103.1"), 14, "\"wall_s\":103.2");
  set_bytes(folder / "a.jsonl", changed);
  EXPECT_THAT(verify_record(path).text, HasSubstr("epochs row 0 differs"));

  std::filesystem::remove(folder / "a.jsonl");
  EXPECT_TRUE(verify_record(path).consistent);
  EXPECT_THAT(verify_record(path).text, HasSubstr("no JSON lines"));
}

/// One way of many to spoil a file.
std::string spoiled(const std::string& whole, std::mt19937& random) {
  auto bytes = whole;
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  if (below(4) == 0) {
    bytes.resize(below(bytes.size()));
    return bytes;
  }
  for (std::size_t flips = std::size_t{1} << below(8); flips > 0; --flips) {
    const auto reach =
        below(2) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 20000);  // most metadata
    bytes[below(reach)] ^= static_cast<char>(1U << below(8));
  }
  return bytes;
}

TEST(Damage, CorruptFilesAreReadOrRefusedAndVerifyIsNeverMisled) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  auto made = finished_record();
  for (std::int64_t i = 0; i < 250; ++i) {
    made.iterations.push_back(made_row<Iteration>(1000 + i));
  }
  write_record(path, made);
  const auto whole = bytes_of(path);
  std::mt19937 random(20261121);
  int refused = 0, readable = 0, believed = 0;
  for (int i = 0; i < campaign_count(300, 20000); ++i) {
    set_bytes(path, spoiled(whole, random));
    const auto verdict = verify_record(path);
    ++(verdict.consistent ? believed : verdict.readable ? readable : refused);
    if (verdict.consistent) {
      const auto read = read_record(path);
      expect_same(read.header, made.header, "header");
      expect_same_tables(read, made);
    }
  }
  RecordProperty("refused", refused);
  EXPECT_GT(refused, 0);
  EXPECT_GT(readable + believed, 0);
}

TEST(Salvage, RebuildsEverythingFromTheJsonLines) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto made = finished_record();
  write_record(path, made);
  set_bytes(path, bytes_of(path).substr(0, 1000));
  const auto damaged = bytes_of(path);

  EXPECT_EQ(salvage_record(path), folder / "a.salvaged.h5");
  const auto read = read_record(folder / "a.salvaged.h5");
  expect_same_tables(read, made);
  EXPECT_EQ(read.header.outcome.view(), "complete");
  EXPECT_EQ(read.header.point, made.header.point);
  EXPECT_THAT(read.header.note.str(), HasSubstr("salvaged from a.h5"));
  EXPECT_EQ(bytes_of(path), damaged) << "the damaged file is evidence";
  EXPECT_EQ(find_records({folder.path()}), std::vector{folder / "a.salvaged.h5"});
}

TEST(Salvage, TakesARecordThatWasKilledBeforeItsFileGotItsName) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  std::filesystem::remove(folder / "a.h5");
  EXPECT_EQ(find_records({folder.path()}), std::vector{folder / "a.h5"});
  EXPECT_THAT(error_of([&] { read_record(folder / "a.h5"); }), HasSubstr("salvage"));
  const auto read = read_record(salvage_record(folder / "a.h5"));
  EXPECT_EQ(read.header.outcome.view(), "lost");
  expect_same_tables(read, made_record());
}

TEST(Salvage, ExcludesTornLines) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  std::filesystem::remove(folder / "a.h5");
  const auto lines = bytes_of(folder / "a.jsonl");
  const auto end_of_probes = lines.find('\n', lines.rfind("{\"table\":\"probes\""));
  set_bytes(folder / "a.jsonl", lines.substr(0, end_of_probes - 4));
  const auto read = read_record(salvage_record(folder / "a.h5"));
  EXPECT_EQ(read.probes.size(), 2U);
  EXPECT_EQ(read.epochs.size(), 3U);
  EXPECT_THAT(read.header.note.str(), HasSubstr("1 damaged lines"));
}

TEST(Salvage, TakesFromHdf5WhatTheLinesLack) {
  const TemporaryFolder folder;
  const auto made = finished_record();
  write_record(folder / "a.h5", made);
  const auto lines = bytes_of(folder / "a.jsonl");
  set_bytes(folder / "a.jsonl", lines.substr(0, lines.find("{\"table\":\"epochs\"")));
  const auto read = read_record(salvage_record(folder / "a.h5"));
  expect_same_tables(read, made);
}

/// The lines of `text` without their checksums, as older programs wrote them.
std::string without_checksums(std::string text) {
  for (std::size_t at; (at = text.find(",\"crc32\":\"")) != std::string::npos;) {
    text.erase(at, 19);
  }
  return text;
}

TEST(JsonLines, AChangedLineFailsItsChecksum) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", finished_record());
  auto text = bytes_of(folder / "a.jsonl");
  EXPECT_EQ(read_json_lines(folder / "a.jsonl").unchecked, 0U);
  text.replace(text.find("\"wall_s\":203.1"), 8, "\"wall_r\"");
  set_bytes(folder / "a.jsonl", text);
  const auto lines = read_json_lines(folder / "a.jsonl");
  EXPECT_EQ(lines.damaged, 1U);
  ASSERT_EQ(lines.damaged_rows.size(), 1U);
  EXPECT_EQ(lines.damaged_rows[0].table, "epochs");
  EXPECT_EQ(lines.damaged_rows[0].index, 1U);

  set_bytes(folder / "a.jsonl", without_checksums(bytes_of(folder / "a.jsonl")));
  const auto old = read_json_lines(folder / "a.jsonl");
  EXPECT_EQ(old.damaged, 0U) << "lines of older programs have no checksum";
  EXPECT_EQ(old.unchecked, old.lines);
}

TEST(JsonLines, EveryNanIsWrittenAsTheSchemaHasIt) {
  std::string text;
  append_json(text, -std::nan(""));
  append_json(text, std::nan(""));
  append_json(text, -HUGE_VAL);
  EXPECT_EQ(text, "\"nan\"\"nan\"\"-inf\"");
}

TEST(Salvage, KeepsTheReadableRowOfHdf5WhenTheLineIsDamaged) {
  for (const bool old_lines : {false, true}) {
    const TemporaryFolder folder;
    const auto made = finished_record();
    write_record(folder / "a.h5", made);
    auto text = bytes_of(folder / "a.jsonl");
    text = old_lines ? without_checksums(text) : text;
    text.replace(text.find("\"wall_s\":203.1"), 8, "\"wall_r\"");
    set_bytes(folder / "a.jsonl", text);
    const auto read = read_record(salvage_record(folder / "a.h5"));
    expect_same_tables(read, made);
    EXPECT_THAT(read.header.note.str(),
                HasSubstr(old_lines ? "1 differ; 0 damaged" : "0 differ; 1 damaged"));
  }
}

TEST(Salvage, CountsRowsThatNeitherFileHas) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", finished_record());
  std::filesystem::remove(folder / "a.h5");
  auto text = bytes_of(folder / "a.jsonl");
  text.replace(text.find("\"wall_s\":203.1"), 8, "\"wall_r\"");
  set_bytes(folder / "a.jsonl", text);
  const auto read = read_record(salvage_record(folder / "a.h5"));
  ASSERT_EQ(read.epochs.size(), 2U);
  EXPECT_EQ(read.epochs[1].wall_s, 303.1);
  EXPECT_THAT(read.header.note.str(), HasSubstr("1 damaged lines, 1 rows lost"));
}

// The epoch is that of rank 0: rank 1 waits in its step for a rank 0 that begins late, or that
// writes a checkpoint.
TEST(Damage, VerifyKnowsThatOtherRanksBeginEarlierAndWait) {
  const TemporaryFolder folder;
  Record record;
  record.header.outcome = "complete";
  record.epochs = {{.epoch = 0, .start_s = 5, .wall_s = 1, .iterations = 1}};
  record.iterations = {
      {.rank = 0, .index = 0, .start_s = 5, .step_s = 1},
      {.rank = 1, .index = 0, .start_s = 3, .step_s = 7, .gradient_sync_wait_s = 4}};
  write_record(folder / "early.h5", record);
  EXPECT_TRUE(verify_record(folder / "early.h5").consistent);

  record.iterations[1].step_s = 8;
  write_record(folder / "long.h5", record);
  std::filesystem::remove(folder / "long.jsonl");
  EXPECT_THAT(verify_record(folder / "long.h5").text,
              HasSubstr("epoch 0 took 1.000 s, but its iterations sum to 4.000 s"));
}

TEST(Damage, VerifyComparesEpochsWithTheirIterations) {
  const TemporaryFolder folder;
  Record record;
  record.header.outcome = "complete";
  record.epochs = {{.epoch = 0, .wall_s = 10, .iterations = 2}};
  record.iterations = {{.index = 0, .wait_s = 1, .step_s = 4}, {.index = 1, .step_s = 4}};
  write_record(folder / "good.h5", record);
  EXPECT_TRUE(verify_record(folder / "good.h5").consistent);

  record.epochs[0].wall_s = 0.01;
  write_record(folder / "short.h5", record);
  std::filesystem::remove(folder / "short.jsonl");
  EXPECT_THAT(verify_record(folder / "short.h5").text,
              HasSubstr("epoch 0 took 0.010 s, but its iterations sum to 9.000 s"));

  record.epochs[0] = {.epoch = 0, .wall_s = 10, .iterations = 1};
  write_record(folder / "few.h5", record);
  std::filesystem::remove(folder / "few.jsonl");
  EXPECT_THAT(verify_record(folder / "few.h5").text,
              HasSubstr("epoch 0 has 1 iterations, but 2 are recorded"));
}

TEST(Salvage, RefusesWhatIsWholeAndWhatGivesNothing) {
  const TemporaryFolder folder;
  write_record(folder / "whole.h5", finished_record());
  EXPECT_THAT(error_of([&] { salvage_record(folder / "whole.h5"); }),
              HasSubstr("nothing to salvage"));
  set_bytes(folder / "alone.h5", "damaged");
  EXPECT_THAT(error_of([&] { salvage_record(folder / "alone.h5"); }),
              HasSubstr("nothing can be rebuilt"));
  EXPECT_THAT(error_of([&] { salvage_record(folder / "missing.h5"); }), HasSubstr("no such file"));
}

TEST(Salvage, NeverOverwritesAnEarlierOne) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", finished_record());
  set_bytes(folder / "a.h5", "damaged");
  salvage_record(folder / "a.h5");
  EXPECT_THAT(error_of([&] { salvage_record(folder / "a.h5"); }), HasSubstr("exists already"));
}

TEST(Salvage, CorruptJsonLinesNeverCrashIt) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", finished_record());
  std::filesystem::remove(folder / "a.h5");
  const auto whole = bytes_of(folder / "a.jsonl");
  std::mt19937 random(3);
  for (int i = 0; i < campaign_count(500, 20000); ++i) {
    set_bytes(folder / "a.jsonl", spoiled(whole, random));
    const auto lines = read_json_lines(folder / "a.jsonl");
    EXPECT_LE(lines.record.epochs.size(), 4U);
  }
}

}  // namespace
}  // namespace epochcast::record
