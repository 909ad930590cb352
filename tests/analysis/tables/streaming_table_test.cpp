// Latency and throughput of streams, by the study's definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(StreamingTable, TakesLatencyAndThroughputAsTheStudyDoes) {
  auto record = made_record({.epochs = 1});
  record.stream_batches = {
      {.source = "batch",
       .batch_id = 1,
       .batch_size = 5,
       .triggered_s = -1,
       .start_s = 2,
       .end_s = 4,
       .labelled = 5,
       .accuracy = 0.8},
      {.source = "batch",
       .batch_id = 2,
       .batch_size = 15,
       .triggered_s = 4,
       .start_s = 5,
       .end_s = 7,
       .labelled = 15,
       .accuracy = 1,
       .refused = 1},
      {.source = "batch", .batch_id = 3, .triggered_s = 9, .start_s = 11, .end_s = 11}};
  const auto made = tables::all().at("streaming").make({loaded(record), {"none.h5", {}}}, {});
  const auto& streams = part_of(made, "streaming");
  EXPECT_THAT(column_of(streams, "batches"), ElementsAre("3"));
  EXPECT_THAT(column_of(streams, "items"), ElementsAre("20"));
  EXPECT_THAT(column_of(streams, "latency_s"), ElementsAre("2.000"));
  EXPECT_THAT(column_of(streams, "most_latency_s"), ElementsAre("3.000"));
  EXPECT_THAT(column_of(streams, "items_per_s"), ElementsAre("5.0"));
  EXPECT_THAT(column_of(streams, "accuracy_percent"), ElementsAre("95.00"));
  EXPECT_THAT(column_of(streams, "refused"), ElementsAre("1"));
  EXPECT_THAT(streams.notes, Contains("none.h5: no batches of a stream"));
  const auto& batches = part_of(made, "stream_batches");
  EXPECT_THAT(column_of(batches, "latency_s"), ElementsAre("3.000", "1.000", "2.000"));
  EXPECT_THAT(column_of(batches, "items_per_s"), ElementsAre("2.5", "7.5", ""));
  EXPECT_THAT(column_of(batches, "accuracy_percent"), ElementsAre("80.00", "100.00", ""));
}

/// A stream of batches with these numbers, by one attempt.
record::Record attempt_of(const std::vector<std::int64_t>& ids, std::int64_t restart) {
  auto record = made_record({.epochs = 1});
  record.header.job_id = std::to_string(restart);
  record.header.restart = restart;
  for (const auto id : ids) {
    record.stream_batches.push_back({.source = "batch",
                                     .batch_id = id,
                                     .batch_size = 5 * id,
                                     .start_s = static_cast<double>(id),
                                     .end_s = static_cast<double>(id) + 1});
  }
  return record;
}

TEST(StreamingTable, NamesBatchesThatAKilledAttemptAnswered) {
  const auto notes_of = [](const std::vector<LoadedRecord>& records) {
    return part_of(tables::all().at("streaming").make(records, {}), "streaming").notes;
  };
  const auto both = notes_of({loaded(attempt_of({1, 2, 3}, 0)), loaded(attempt_of({5, 6, 9}, 1))});
  EXPECT_THAT(both, Contains(testing::HasSubstr("2 records are attempts at one stream; together "
                                                "they have 6 batches")));
  EXPECT_THAT(both, Contains(testing::HasSubstr("batches 4, 7 to 8 are in no record")));
  EXPECT_THAT(notes_of({loaded(attempt_of({4, 5}, 1))}),
              Contains(testing::HasSubstr("batches 1 to 3 are in no record")));
  for (const auto& note : notes_of({loaded(attempt_of({500, 501}, 0))})) {
    EXPECT_THAT(note, testing::Not(testing::HasSubstr("in no record")));
  }
}

TEST(StreamingPicture, ComparesModelsByTheSizeOfTheBatch) {
  std::vector<LoadedRecord> records;
  for (const auto* model : {"vit", "deit", "deit"}) {
    auto record = attempt_of({1, 2, 3}, static_cast<std::int64_t>(records.size()));
    record.parameters.front() = parameter_row("model", model);
    records.push_back(loaded(record));
  }
  const auto charts = charts_of(plots::all().at("streaming"), records, {});
  ASSERT_EQ(charts.size(), 2U);
  ASSERT_EQ(charts[1].series.size(), 2U);
  EXPECT_EQ(charts[1].series[0].name, "deit");
  EXPECT_EQ(charts[1].series[1].name, "vit");
  ASSERT_EQ(charts[1].series[0].points.size(), 3U);
  EXPECT_EQ(charts[1].series[0].points[2].x, 15);
  EXPECT_EQ(charts[1].series[0].points[2].y, 15);
  EXPECT_EQ(charts[1].series[0].points[2].note, "median of 2 runs");
  EXPECT_THAT(charts[1].subtitle, testing::HasSubstr("n = 9 batches"));
}

TEST(StreamingPicture, ShowsLatencyAndThroughputOfEachSourceOverTime) {
  auto record = made_record({.epochs = 1});
  record.stream_batches = {
      {.source = "a", .batch_id = 1, .batch_size = 5, .start_s = 2, .end_s = 4},
      {.source = "b", .batch_id = 1, .batch_size = 10, .triggered_s = 1, .start_s = 5, .end_s = 7},
      {.source = "a", .batch_id = 2, .triggered_s = 4, .start_s = 9, .end_s = 9}};
  const auto charts = charts_of(plots::all().at("streaming"), {loaded(record)}, {});
  ASSERT_EQ(charts.size(), 2U);
  const auto& latency = charts[0];
  ASSERT_EQ(latency.series.size(), 2U);
  EXPECT_EQ(latency.series[0].name, "a");
  ASSERT_EQ(latency.series[0].points.size(), 2U);
  EXPECT_EQ(latency.series[0].points[1].x, 9);
  EXPECT_EQ(latency.series[0].points[1].y, 5);
  EXPECT_EQ(latency.series[0].points[0].note, "batch 1, 5 items");
  EXPECT_EQ(latency.series[1].points.at(0).y, 4);
  EXPECT_THAT(latency.subtitle, testing::HasSubstr("n = 3 batches; simulated"));
  const auto& rate = charts[1];
  EXPECT_EQ(rate.series[0].points.size(), 1U) << "a batch without items has no throughput";
  EXPECT_EQ(rate.series[0].points[0].y, 2.5);
  EXPECT_EQ(rate.series[1].points.at(0).y, 5);
  EXPECT_EQ(rate.y.unit, "items/s");
}

TEST(StreamingPicture, OfOtherRecordsSaysWhatTheyLack) {
  std::vector<std::string> why_not;
  const auto charts = charts_of(plots::all().at("streaming"), {loaded(made_record({}))}, {});
  EXPECT_TRUE(drawable(charts, why_not).empty());
  EXPECT_THAT(why_not, Contains(testing::HasSubstr("no batches of a stream")));
}

}  // namespace
}  // namespace epochcast::analysis
