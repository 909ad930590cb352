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
