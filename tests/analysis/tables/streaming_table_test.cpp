// Latency and throughput of streams, by the study's definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace epochcast::analysis
