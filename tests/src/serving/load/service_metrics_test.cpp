#include "src/serving/load/service_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::load {
namespace {

TEST(ServiceMetrics, SumsTheSamplesOfAName) {
  constexpr auto text =
      "# HELP a Something.\n# TYPE a counter\na 1\na{x=\"1\"} 2\na{x=\"}\"} 4 1700000000\n"
      "ab 100\na_sum 200\n";
  EXPECT_EQ(sample_sum(text, "a"), 7);
  EXPECT_EQ(sample_sum(text, "a_sum"), 200);
  EXPECT_TRUE(std::isnan(sample_sum(text, "c")));
  EXPECT_TRUE(std::isnan(sample_sum("", "a")));
}

TEST(ServiceMetrics, OfASecondAreDifferences) {
  const ServiceMetrics before{.queue_length = 3, .batches = 10, .batch_inputs = 50};
  const ServiceMetrics now{.queue_length = 7, .batches = 14, .batch_inputs = 90};
  record::ServingSecond second;
  set_metrics(before, now, second);
  EXPECT_EQ(second.queue_length, 7);
  EXPECT_EQ(second.batches, 4);
  EXPECT_EQ(second.batch_inputs, 40);
  EXPECT_TRUE(std::isnan(second.cache_hits));
}

TEST(ServiceMetrics, TellForwardPassesByTheirInputs) {
  const auto before = parse_service_metrics(
      "epochcast_passes_total{inputs=\"1\"} 5\nepochcast_passes_seconds_total{inputs=\"1\"} 0.5\n"
      "epochcast_passes_total{inputs=\"8\"} 2\nepochcast_passes_seconds_total{inputs=\"8\"} 1\n");
  const auto now = parse_service_metrics(
      "epochcast_passes_total{inputs=\"1\"} 5\nepochcast_passes_seconds_total{inputs=\"1\"} 0.5\n"
      "epochcast_passes_total{inputs=\"3\"} 4\nepochcast_passes_seconds_total{inputs=\"3\"} 2\n"
      "epochcast_passes_total{inputs=\"8\"} 3\nepochcast_passes_seconds_total{inputs=\"8\"} "
      "1.75\n");
  const auto rows = passes_between(before, now);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].inputs, 3);
  EXPECT_EQ(rows[0].passes, 4);
  EXPECT_EQ(rows[0].sum_s, 2);
  EXPECT_EQ(rows[1].inputs, 8);
  EXPECT_EQ(rows[1].passes, 1);
  EXPECT_EQ(rows[1].sum_s, 0.75);
}

TEST(ServiceMetrics, OfAnythingElseAreNone) {
  for (const auto* text : {"<html>", "epochcast_queue_inputs", "epochcast_queue_inputs x\n",
                           "epochcast_passes_total{inputs=\"x\"} 1\n", "{}{}{", "\n\n"}) {
    const auto metrics = parse_service_metrics(text);
    EXPECT_TRUE(std::isnan(metrics.queue_length)) << text;
    EXPECT_TRUE(metrics.passes.empty()) << text;
  }
}

}  // namespace
}  // namespace epochcast::load
