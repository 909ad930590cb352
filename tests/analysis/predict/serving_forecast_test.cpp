// What a record of a light load says of its service, and what is forecast from that.
#include "analysis/predict/serving_forecast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/made_records.hpp"
#include "tests/analysis/made_service.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double launch_s = 0.010;
constexpr double item_s = 0.002;

const ParameterTexts eight{{"serve.batch", "8"},  {"serve.batch_wait", "0s"},
                           {"serve.queue", "64"}, {"load.mix", "a_file"},
                           {"load.texts", "1"},   {"load.cached", "0"}};

/// 5 requests/s, nearly always alone: a median of launch + item and 1 ms beside it.
record::Record light_record() {
  auto record = made_service(eight);
  const auto stage = add_stage(record, 5, 100, 13'000);
  add_passes(record, stage, 1, 400, launch_s, item_s);
  add_passes(record, stage, 2, 50, launch_s, item_s);
  return record;
}

SeenService seen(const record::Record& record) {
  const auto answer = seen_service(record);
  EXPECT_TRUE(std::holds_alternative<SeenService>(answer));
  return std::get<SeenService>(answer);
}

ServingForecast forecast_from(const record::Record& record) {
  return std::get<ServingForecast>(ServingForecast::from(seen(record)));
}

std::string refusal_of(const record::Record& record) {
  const auto answer = seen_service(record);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return refusal->reason;
  }
  const auto made = ServingForecast::from(std::get<SeenService>(answer));
  const auto* refusal = std::get_if<forecast::Refusal>(&made);
  return refusal == nullptr ? "" : refusal->reason;
}

TEST(SeenService, HasTheOptionsThePassesAndTheFirstStage) {
  auto record = light_record();
  add_stage(record, 50, 10, 900'000);
  const auto service = seen(record);
  EXPECT_EQ(service.serve.batch, 8);
  EXPECT_EQ(service.serve.queue, 64);
  EXPECT_EQ(service.load.arrivals, "poisson");
  EXPECT_EQ(service.load.timeout.value, run::LoadOptions{}.timeout.value);
  EXPECT_EQ(service.passes.size(), 2U);
  EXPECT_EQ(service.light_load, 5);
  EXPECT_EQ(service.light_s, 100);
  EXPECT_EQ(service.light_latencies.count(), 500);
}

TEST(SeenService, IsRefusedWithoutAStageAndForParametersThatAreNotValid) {
  EXPECT_THAT(refusal_of(made_service(eight)), HasSubstr("no stage of a load"));
  auto record = made_service({{"serve.batch", "many"}});
  add_stage(record, 5, 100, 1000);
  EXPECT_THAT(refusal_of(record), HasSubstr("parameter serve.batch: found 'many'"));
}

TEST(ServingForecast, FitsTheTimeOfAMicroBatchAndTheRestOfARequest) {
  const auto forecast = forecast_from(light_record());
  EXPECT_NEAR(forecast.service().cost.launch_s, launch_s, 1e-9);
  EXPECT_NEAR(forecast.service().cost.item_s, item_s, 1e-9);
  EXPECT_NEAR(forecast.service().overhead_s, 0.001, 2e-5);
  EXPECT_EQ(forecast.service().batch, 8);
  EXPECT_EQ(forecast.service().wait_s, 0);
  EXPECT_EQ(forecast.service().queue, 64);
  EXPECT_THAT(forecast.reasons(), Contains(HasSubstr("10.00 ms + 2.000 ms b")));
  EXPECT_THAT(forecast.reasons(), Contains(HasSubstr("had 2 of 8 inputs")));
}

TEST(ServingForecast, AddsThePassesOfASizeOverTheStages) {
  auto record = light_record();
  const auto all = forecast_from(record).service().cost;
  for (auto& row : record.serving_passes) {
    row.passes /= 2;
    row.sum_s /= 2;
  }
  auto second = record.serving_passes;
  for (auto& row : second) {
    row.stage = record::no_stage;
    record.serving_passes.push_back(row);
  }
  const auto forecast = forecast_from(record);
  EXPECT_EQ(forecast.times().size(), 2U);
  EXPECT_NEAR(forecast.service().cost.launch_s, all.launch_s, 1e-12);
}

TEST(ServingForecast, LeavesOutSizesThatWereHardlySeen) {
  auto record = light_record();
  record.serving_passes.push_back({.stage = 0, .inputs = 7, .passes = 2, .sum_s = 20});
  EXPECT_NEAR(forecast_from(record).service().cost.item_s, item_s, 1e-9);
  EXPECT_EQ(forecast_from(record).times().size(), 2U);
}

TEST(ServingForecast, IsRefusedWithoutMicroBatchesAndWithOneSizeOfThem) {
  auto record = light_record();
  record.serving_passes.pop_back();
  EXPECT_THAT(refusal_of(record), HasSubstr("all micro-batches have 1 inputs"));
  record.serving_passes.clear();
  EXPECT_THAT(refusal_of(record), HasSubstr("does not say them in /metrics"));
}

TEST(ServingForecast, OfAServiceWithoutMicroBatchesNeedsOneSize) {
  auto record = made_service({{"serve.batch", "1"}});
  add_passes(record, add_stage(record, 5, 100, 13'000), 1, 400, launch_s, item_s);
  const auto cost = forecast_from(record).service().cost;
  EXPECT_NEAR(cost.step_s(1), launch_s + item_s, 1e-9);
}

TEST(ServingForecast, TakesTheRequestsOfTheStudyWithItsCache) {
  auto record = made_service({{"load.arrivals", "closed"}, {"load.cached", "0.9"}});
  const auto stage = add_stage(record, 5, 10, 13'000);
  add_passes(record, stage, 3, 10, launch_s, item_s);
  add_passes(record, stage, 10, 10, launch_s, item_s);
  const auto traffic = forecast_from(record).traffic(7, 20);
  EXPECT_EQ(traffic.arrivals, forecast::Arrivals::closed);
  EXPECT_EQ(traffic.load, 7);
  EXPECT_EQ(traffic.time_s, 20);
  ASSERT_EQ(traffic.kinds.size(), 2U);
  EXPECT_EQ(traffic.kinds[0].inputs, 3);
  EXPECT_NEAR(traffic.kinds[0].share, 0.9, 1e-12);
  EXPECT_TRUE(traffic.kinds[0].cached);
  EXPECT_EQ(traffic.kinds[1].inputs, 10);
  EXPECT_FALSE(traffic.kinds[1].cached);
}

/// The simulation of the service that made the record must come back from the record alone.
TEST(ServingForecast, FindsTheServiceAgainAtAHigherLoad) {
  const auto forecast = forecast_from(light_record());
  const forecast::Service truth{
      .cost = {launch_s, item_s, 1}, .batch = 8, .wait_s = 0, .queue = 64, .overhead_s = 0.001};
  for (const double load : {50.0, 150.0, 250.0}) {
    const auto traffic = forecast.traffic(load, 60);
    const auto expected = forecast::simulate_typical(truth, traffic);
    EXPECT_NEAR(forecast.at(traffic).p99_s / expected.p99_s, 1, 0.02) << load;
  }
  const auto found = forecast.highest(forecast.traffic(5, 60), 0.2);
  const auto expected = forecast::breaking_load(truth, forecast.traffic(5, 60), 0.2);
  ASSERT_TRUE(found && expected);
  EXPECT_NEAR(found->load / expected->load, 1, 0.02);
}

TEST(LightestForecast, TakesTheLightestLoadThatAllowsOne) {
  auto record = made_service(eight);
  add_passes(record, add_stage(record, 5, 100, 13'000), 1, 400, launch_s, item_s);
  const auto second = add_stage(record, 20, 100, 14'000);
  add_passes(record, second, 1, 400, launch_s, item_s);
  add_passes(record, second, 2, 100, launch_s, item_s);
  const auto study = sort_serving_runs({loaded(record)}, {});
  const auto made = lightest_forecast(study.runs.at(0));
  ASSERT_TRUE(std::holds_alternative<LightestForecast>(made));
  EXPECT_EQ(std::get<LightestForecast>(made).from->sum.load_to, 20);
}

TEST(LightestForecast, DoesNotUseALoadThatBreaksTheThreshold) {
  auto record = made_service(eight);
  add_passes(record, add_stage(record, 5, 100, 13'000), 1, 400, launch_s, item_s);
  const auto second = add_stage(record, 20, 100, 5'000'000);
  add_passes(record, second, 1, 400, launch_s, item_s);
  add_passes(record, second, 8, 100, launch_s, item_s);
  const auto study = sort_serving_runs({loaded(record)}, {});
  const auto made = lightest_forecast(study.runs.at(0));
  ASSERT_TRUE(std::holds_alternative<forecast::Refusal>(made));
  EXPECT_THAT(std::get<forecast::Refusal>(made).reason,
              HasSubstr("5/s: all micro-batches have 1 inputs"));
}

}  // namespace
}  // namespace epochcast::analysis
