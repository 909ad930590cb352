#include <gtest/gtest.h>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"
#include "tests/src/record/same.hpp"

namespace epochcast::record {
namespace {

TEST(RoundTrip, EveryFieldOfEveryTableComesBack) {
  const TemporaryFolder folder;
  const auto made = made_record();
  write_record(folder / "a.h5", made);
  const auto read = read_record(folder / "a.h5");
  expect_same(read.header, made.header, "header");
  expect_same_tables(read, made);
}

TEST(RoundTrip, TheJsonLinesHoldTheSame) {
  const TemporaryFolder folder;
  const auto made = made_record();
  write_record(folder / "a.h5", made);
  const auto read = read_json_lines(folder / "a.jsonl");
  EXPECT_TRUE(read.has_header);
  EXPECT_EQ(read.damaged, 0U);
  expect_same(read.record.header, made.header, "header");
  expect_same_tables(read.record, made);
}

/// Analysis compares old records with new ones.
TEST(RoundTrip, ParametersThatWereRenamedAreReadAsTheyAreNow) {
  const TemporaryFolder folder;
  Record made;
  made.parameters = {{"procedure", "lab", "text", "1"}, {"dataset.path", "lab", "text", "1"}};
  write_record(folder / "a.h5", made);
  for (const auto& read :
       {read_record(folder / "a.h5"), read_json_lines(folder / "a.jsonl").record}) {
    EXPECT_EQ(read.parameters[0].value.view(), "reference");
    EXPECT_EQ(read.parameters[1].value.view(), "lab");
  }
}

TEST(RoundTrip, AppendedRowsComeBackInOrder) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "a.h5", Record{});
  for (std::int64_t i = 0; i < 5000; ++i) {
    writer.append(Iteration{.index = i, .start_s = 0.5 * static_cast<double>(i)});
    if (i % 777 == 0) {
      writer.append(Epoch{.epoch = i});
      writer.flush();
    }
  }
  writer.finish(run::Outcome::complete, "");
  const auto read = read_record(folder / "a.h5");
  ASSERT_EQ(read.iterations.size(), 5000U);
  for (std::int64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(read.iterations[i].index, i);
    ASSERT_EQ(read.iterations[i].start_s, 0.5 * static_cast<double>(i));
  }
  EXPECT_EQ(read.epochs.size(), 7U);
  EXPECT_EQ(read.header.outcome.view(), "complete");
}

TEST(RoundTrip, NumbersThatJsonCannotHoldComeBack) {
  const TemporaryFolder folder;
  Record made;
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 5e-324, 0.1}) {
    made.metrics.push_back({0, "loss", value});
  }
  write_record(folder / "a.h5", made);
  expect_same_tables(read_record(folder / "a.h5"), made);
  expect_same_tables(read_json_lines(folder / "a.jsonl").record, made);
}

}  // namespace
}  // namespace epochcast::record
