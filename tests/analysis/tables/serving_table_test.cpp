// The table and the picture of a service under load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/forecast/service/serving.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/made_service.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A stage of 10 s in which all answers take `latency_us`, but for the slowest ones.
struct MadeStage {
  double load = 10;
  std::int64_t latency_us = 1000;
  std::int64_t slow = 0;  ///< Answers that take 5 s.
  std::int64_t failed = 0;
  double load_from = -1;  ///< Of a ramp.
};

record::Record serving_record(const std::string& service_batch,
                              const std::vector<MadeStage>& stages, std::int64_t repeat = 0) {
  auto record = made_service({{"serve.batch", service_batch}}, repeat);
  record.header.point = "serve.b" + service_batch + ".r" + std::to_string(repeat);
  for (const auto& made : stages) {
    const auto number = std::ssize(record.serving_stages);
    record::ServingStage row{.stage = number, .duration_s = 10};
    row.load_from = made.load_from < 0 ? made.load : made.load_from;
    row.load_to = made.load;
    row.load_unit = "1/s";
    row.requests = static_cast<std::int64_t>(10 * made.load);
    row.answered = row.requests - made.failed;
    row.texts = 3 * row.answered;
    row.refused = made.failed;
    record.serving_stages.push_back(row);
    record.serving_latencies.push_back({.stage = number,
                                        .request = "predict",
                                        .low_us = made.latency_us,
                                        .count = row.answered - made.slow});
    if (made.slow > 0) {
      record.serving_latencies.push_back(
          {.stage = number, .request = "predict", .low_us = 5'000'000, .count = made.slow});
    }
  }
  return record;
}

std::vector<table::Table> serving(const std::vector<LoadedRecord>& records,
                                  const TableOptions& options = {}) {
  return tables_of(tables::all().at("serving"), records, options);
}

TEST(ServingTable, HasARowForEachLoad) {
  const auto tables = serving({loaded(serving_record(
      "8", {{.load = 10, .latency_us = 1000}, {.load = 20, .latency_us = 1500, .slow = 4}}))});
  const auto& loads = part_of(tables, "serving");
  EXPECT_THAT(column_of(loads, "load"), ElementsAre("10/s", "20/s"));
  EXPECT_THAT(column_of(loads, "requests"), ElementsAre("100", "200"));
  EXPECT_THAT(column_of(loads, "answered_per_s"), ElementsAre("10.0", "20.0"));
  EXPECT_THAT(column_of(loads, "texts_per_s"), ElementsAre("30.0", "60.0"));
  EXPECT_THAT(column_of(loads, "p50_ms"), ElementsAre("1.00", "1.50"));
  EXPECT_THAT(column_of(loads, "p90_ms"), ElementsAre("1.00", "1.50"));
  EXPECT_THAT(column_of(loads, "p99_ms"), ElementsAre("1.00", "5001.22"));
  EXPECT_THAT(column_of(loads, "keeps"), ElementsAre("yes", "no"));
  EXPECT_THAT(column_of(loads, "service"), ElementsAre("distilbert", "distilbert"));
}

TEST(ServingTable, RepeatsAreOneRow) {
  const auto tables = serving({loaded(serving_record("8", {{.load = 10, .latency_us = 1000}}, 0)),
                               loaded(serving_record("8", {{.load = 10, .latency_us = 2000}}, 1))});
  const auto& loads = part_of(tables, "serving");
  EXPECT_THAT(column_of(loads, "runs"), ElementsAre("2"));
  EXPECT_THAT(column_of(loads, "requests"), ElementsAre("200"));
  EXPECT_THAT(column_of(loads, "answered_per_s"), ElementsAre("10.0"));
  EXPECT_THAT(column_of(loads, "p50_ms"), ElementsAre("1.00"));
  EXPECT_THAT(column_of(loads, "p90_ms"), ElementsAre("2.00"));
}

TEST(ServingTable, ServicesDifferByTheirParameters) {
  const auto tables = serving(
      {loaded(serving_record("32", {{.load = 10}})), loaded(serving_record("8", {{.load = 10}}))});
  EXPECT_THAT(column_of(part_of(tables, "serving"), "service"),
              ElementsAre("distilbert serve.batch=8", "distilbert serve.batch=32"));
  EXPECT_THAT(part_of(tables, "serving_limit").rows, SizeIs(2));
}

TEST(ServingLimit, LiesBelowTheFirstLoadThatBreaksTheThreshold) {
  const auto tables = serving({loaded(serving_record(
      "8", {{.load = 30, .slow = 4}, {.load = 40}, {.load = 10}, {.load = 20, .slow = 2}}))});
  const auto& limit = part_of(tables, "serving_limit");
  EXPECT_THAT(column_of(limit, "kept_load"), ElementsAre("20/s"));
  EXPECT_THAT(column_of(limit, "broken_load"), ElementsAre("30/s"));
}

TEST(ServingLimit, CountsFailedRequestsAsTooLate) {
  const auto tables = serving({loaded(serving_record("8", {{.load = 10, .failed = 2}}))});
  const auto& limit = part_of(tables, "serving_limit");
  EXPECT_THAT(column_of(limit, "kept_load"), ElementsAre(""));
  EXPECT_THAT(column_of(limit, "broken_load"), ElementsAre("10/s"));
  EXPECT_THAT(column_of(part_of(tables, "serving"), "failed_percent"), ElementsAre("2.00"));
}

TEST(ServingLimit, RampsDoNotTellIt) {
  const auto tables = serving(
      {loaded(serving_record("8", {{.load = 50, .slow = 40, .load_from = 1}, {.load = 50}}))});
  EXPECT_THAT(column_of(part_of(tables, "serving"), "load"), ElementsAre("50/s", "1-50/s"));
  EXPECT_THAT(column_of(part_of(tables, "serving_limit"), "kept_load"), ElementsAre("50/s"));
  EXPECT_THAT(column_of(part_of(tables, "serving_limit"), "broken_load"), ElementsAre(""));
}

TEST(ServingTable, TakesBatchesAndQueueFromTheSeconds) {
  auto record = serving_record("8", {{.load = 10}, {.load = 20}});
  record.serving_seconds = {{.stage = 0,
                             .answered = 60,
                             .queue_length = 2,
                             .batches = 10,
                             .batch_inputs = 40,
                             .cache_hits = 48},
                            {.stage = 0, .answered = 50},  // the metrics did not come
                            {.stage = 0,
                             .answered = 50,
                             .queue_length = 4,
                             .batches = 10,
                             .batch_inputs = 60,
                             .cache_hits = 90}};
  const auto tables = serving({loaded(record)});
  const auto& loads = part_of(tables, "serving");
  EXPECT_THAT(column_of(loads, "batch_inputs"), ElementsAre("5.0", ""));
  EXPECT_THAT(column_of(loads, "queue_inputs"), ElementsAre("3.0", ""));
  EXPECT_THAT(column_of(loads, "cached_percent"), ElementsAre("80.0", ""));
}

TEST(ServingTable, OfSecondsOnTheBorderOfTwoStagesNothingIsCounted) {
  auto record = serving_record("8", {{.load = 10}, {.load = 20}, {.load = 30}});
  record.serving_stages[0].duration_s = 0.5;
  record.serving_stages[1].start_s = 0.5;
  record.serving_stages[1].duration_s = 1.5;
  record.serving_stages[2].start_s = 2;
  record.serving_stages[2].duration_s = 2;
  record.serving_seconds = {
      {.start_s = 0, .duration_s = 1, .stage = 1, .answered = 25, .cache_hits = 25},
      {.start_s = 1.0,
       .duration_s = 1.01,
       .stage = 1,
       .answered = 20,
       .batches = 5,
       .batch_inputs = 10,
       .cache_hits = 10},
      {.start_s = 2.01, .duration_s = 1, .stage = 2, .answered = 30, .cache_hits = 31}};
  const auto tables = serving({loaded(record)});
  const auto& loads = part_of(tables, "serving");
  EXPECT_THAT(column_of(loads, "cached_percent"), ElementsAre("", "50.0", "100.0"));
  EXPECT_THAT(column_of(loads, "batch_inputs"), ElementsAre("", "2.0", ""));
}

/// 2, then 20 and 100 requests/s, on a service that takes 10 ms + 2 ms b and that nothing else
/// delays: no two requests of the first stage share a micro-batch but for five.
record::Record service_with_passes() {
  auto record = made_service({{"serve.batch", "8"},
                              {"serve.batch_wait", "0s"},
                              {"load.mix", "a_file"},
                              {"load.texts", "1"},
                              {"load.cached", "0"}});
  const auto light = add_stage(record, 2, 200, 12'000);
  add_stage(record, 20, 200, 20'000);
  add_stage(record, 100, 200, 40'000);
  add_passes(record, light, 1, 390, 0.010, 0.002);
  add_passes(record, light, 2, 5, 0.010, 0.002);
  return record;
}

TEST(SlowServingTable, PrintsTheForecastFromTheLightestLoadBesideWhatWasMeasured) {
  const auto record = service_with_passes();
  const auto tables = serving({loaded(record)});
  const auto& loads = part_of(tables, "serving");
  const auto p99_ms = column_of(loads, "forecast_p99_ms");
  EXPECT_THAT(p99_ms, ElementsAre("", Not(""), Not("")));
  const forecast::Service truth{.cost = {0.010, 0.002, 1}, .batch = 8, .wait_s = 0, .queue = 1024};
  const auto at_100 = forecast::simulate_typical(truth, {.load = 100, .time_s = 200});
  EXPECT_NEAR(std::stod(p99_ms[2]), 1000 * at_100.p99_s, 0.2);
  const double error = 100 * (std::stod(p99_ms[2]) / 40 - 1);
  EXPECT_NEAR(std::stod(column_of(loads, "forecast_error_percent")[2]), error, 0.2);
  const auto& limit = part_of(tables, "serving_limit");
  EXPECT_THAT(column_of(limit, "forecast_from"), ElementsAre("2/s"));
  const auto highest = forecast::breaking_load(truth, {.load = 1, .time_s = 200}, 2);
  EXPECT_NEAR(std::stod(column_of(limit, "forecast_load")[0]), highest->load, 0.01 * highest->load);
}

/// A load's own measurements, and those of higher ones, must not move its forecast.
TEST(SlowServingTable, ForecastsFromNothingButTheLightestLoad) {
  auto record = service_with_passes();
  const auto before = column_of(part_of(serving({loaded(record)}), "serving"), "forecast_p99_ms");
  add_passes(record, 1, 4, 1000, 1, 1);
  add_passes(record, 2, 8, 1000, 1, 1);
  add_passes(record, record::no_stage, 8, 1000, 1, 1);
  record.serving_latencies[2].low_us = 90'000;
  const auto after = column_of(part_of(serving({loaded(record)}), "serving"), "forecast_p99_ms");
  EXPECT_EQ(before, after);
}

TEST(ServingTable, OfARecordWithoutPassesByStageSaysWhyThereIsNoForecast) {
  auto record = service_with_passes();
  for (auto& row : record.serving_passes) {
    row.stage = record::no_stage;  // as an older record
  }
  const auto tables = serving({loaded(record)});
  EXPECT_THAT(column_of(part_of(tables, "serving"), "forecast_p99_ms"), ElementsAre("", "", ""));
  EXPECT_THAT(column_of(part_of(tables, "serving_limit"), "forecast_load"), ElementsAre(""));
  EXPECT_THAT(part_of(tables, "serving").notes,
              Contains(HasSubstr("no forecast: 2/s: no micro-batches are recorded")));
}

TEST(ServingTable, ExcludesARecordWhoseParametersAreNotValid) {
  const auto tables = serving({loaded(serving_record("many", {{.load = 10}}))});
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre(HasSubstr("parameter serve.batch: found 'many'")));
}

TEST(ServingTable, SaysWhatItLeavesOutAndWhatIsNotAsItShouldBe) {
  auto failed = serving_record("8", {{.load = 10}});
  failed.header.outcome = "failed";
  failed.header.outcome_text = "the service ended";
  auto late = serving_record("8", {{.load = 10}}, 1);
  late.serving_stages[0].late_s = 0.5;
  const auto tables = serving({loaded(failed), loaded(late), loaded(made_record({}))});
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre("failed: the service ended", "no load on a service"));
  EXPECT_THAT(part_of(tables, "serving").notes, Contains(HasSubstr("0.50 s too late")));
}

TEST(ServingTable, OfOtherRecordsIsEmpty) {
  const auto tables = serving({loaded(made_record({}))});
  EXPECT_THAT(part_of(tables, "serving").rows, IsEmpty());
}

TEST(ServingPicture, ShowsMedianAndP99OfSteadyLoads) {
  const std::vector<LoadedRecord> records{loaded(
      serving_record("8", {{.load = 5, .load_from = 1}, {.load = 20, .slow = 4}, {.load = 10}}))};
  const auto charts = charts_of(plots::all().at("serving"), records, {});
  ASSERT_THAT(charts, SizeIs(1));
  ASSERT_THAT(charts[0].series, SizeIs(2));
  EXPECT_EQ(charts[0].series[1].name, "cpu2, distilbert, poisson, simulated: p99");
  ASSERT_THAT(charts[0].series[1].points, SizeIs(2));
  EXPECT_DOUBLE_EQ(charts[0].series[1].points[0].x, 10);
  EXPECT_DOUBLE_EQ(charts[0].series[1].points[1].x, 20);
  EXPECT_NEAR(charts[0].series[1].points[1].y, 5000, 5);
  ASSERT_THAT(charts[0].references, SizeIs(1));
  EXPECT_DOUBLE_EQ(charts[0].references[0].at, 2000);
}

}  // namespace
}  // namespace epochcast::analysis
