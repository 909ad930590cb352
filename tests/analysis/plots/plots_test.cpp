// What pictures show, by the values in their charts; that they are well drawn is seen by looking.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/output/plot/svg.hpp"
#include "tests/analysis/program.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/src/output/plot/made_charts.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A run with `warm` slow iterations of 0.5 s and then steady ones of 0.1 s, and an accuracy.
record::Record made_steps(const MadeRun& run, std::int64_t per_epoch = 40, std::int64_t warm = 0) {
  auto record = made_record(run);
  record.work.front().iterations_per_epoch = per_epoch;
  record.epochs.clear();
  double start_s = 0;
  for (std::int64_t epoch = 0; epoch < run.epochs; ++epoch) {
    auto& row = record.epochs.emplace_back();
    row = {.epoch = epoch, .start_s = start_s, .samples = 1000, .iterations = per_epoch};
    for (std::int64_t index = 0; index < per_epoch; ++index) {
      const double step_s = epoch == 0 && index < warm ? 0.5 : 0.1;
      record.iterations.push_back({.epoch = epoch,
                                   .index = index,
                                   .start_s = start_s,
                                   .step_s = step_s,
                                   .samples = 1000 / per_epoch});
      start_s += step_s;
      row.wall_s += step_s;
    }
    record.metrics.push_back({epoch, "val_accuracy", 1 - 0.5 / static_cast<double>(epoch + 1)});
  }
  return record;
}

std::vector<LoadedRecord> all_loaded(const std::vector<record::Record>& records) {
  std::vector<LoadedRecord> result;
  for (const auto& record : records) {
    result.push_back(loaded(record));
  }
  return result;
}

/// Four samples of 2 CPUs: the run used 1.5 of them, others a quarter, the third sample all.
record::Record made_activity() {
  auto record = made_record({.epochs = 1});
  for (int i = 0; i < 4; ++i) {
    auto& row = record.telemetry.emplace_back();
    row.end_s = i + 1.0;
    row.duration_s = 1;
    row.cpus = 2;
    row.node_cpus = 8;
    row.own_cpu_s = i == 2 ? 0.5 : 1.5;
    row.cpus_busy_s = i == 2 ? 2 : 1.75;
  }
  return record;
}

std::vector<plot::Chart> charts_of(const std::string& name,
                                   const std::vector<record::Record>& records,
                                   const PlotOptions& options = {}) {
  return plots::all().at(name).make(all_loaded(records), options);
}

std::vector<double> y_of(const plot::Series& series) {
  std::vector<double> values;
  for (const auto& point : series.points) {
    values.push_back(point.y);
  }
  return values;
}

const plot::Series& series_of(const plot::Chart& chart, const std::string& name) {
  static const plot::Series none;
  const auto found = std::ranges::find(chart.series, name, &plot::Series::name);
  EXPECT_NE(found, chart.series.end()) << "no series " << name;
  return found == chart.series.end() ? none : *found;
}

std::vector<double> numbers_of(const table::Table& table, const std::string& key) {
  std::vector<double> values;
  for (const auto& row : table.rows) {
    if (const auto value = number_in(table, row, key)) {
      values.push_back(*value);
    }
  }
  return values;
}

/// Runs of 1 and 5 epochs on two allocations, the second on one more repeat.
std::vector<record::Record> lab_runs() {
  return {made_record({.epochs = 1}), made_record({.epochs = 5}),
          made_record({.allocation = "cpu4", .epochs = 1, .epoch_s = 6, .cpus = 4}),
          made_record({.allocation = "cpu4", .epochs = 5, .epoch_s = 6, .cpus = 4}),
          made_record({.allocation = "cpu4", .epochs = 5, .repeat = 1, .epoch_s = 7, .cpus = 4})};
}

TEST(LabPlot, HasTheNumbersOfTheTableAndTheRangeOfRepeats) {
  const auto chart = charts_of("lab", lab_runs()).front();
  const auto table = tables::all().at("lab").make(all_loaded(lab_runs()), {}).front();
  EXPECT_EQ(y_of(chart.series[0]), numbers_of(table, "predicted_s"));
  EXPECT_EQ(y_of(chart.series[1]), numbers_of(table, "n_epochs_s"));
  EXPECT_FALSE(chart.series[1].points[0].low.has_value());
  EXPECT_EQ(chart.series[1].points[1].low, 31);
  EXPECT_EQ(chart.series[1].points[1].high, 36);
  EXPECT_THAT(chart.x.categories, ElementsAre("cpu2 (+7.8 %)", "cpu4 (+4.5 %)"));
  EXPECT_THAT(chart.subtitle, HasSubstr("n = 2 runs of 1 epoch and 3 of N; simulated"));
}

TEST(LabPlot, GivesCpusAndGpusAChartEach) {
  auto records = lab_runs();
  for (const std::int64_t epochs : {1, 5}) {
    records.push_back(made_record({.allocation = "t4",
                                   .epochs = epochs,
                                   .epoch_s = 0.2,
                                   .gpu = "Tesla T4",
                                   .claimed_gpu = "t4"}));
  }
  const auto charts = charts_of("lab", records);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].x.categories.size(), 2U);
  ASSERT_EQ(charts[1].x.categories.size(), 1U);
  EXPECT_THAT(charts[1].x.categories.front(), HasSubstr("t4"));
}

TEST(LabPlot, IsNotDrawnWhereNothingIsPredicted) {
  const auto chart = charts_of("lab", {made_record({.epochs = 5})}).front();
  EXPECT_FALSE(plot::has_values(chart));
  EXPECT_THAT(chart.notes.front(), HasSubstr("no allocation has complete runs of 1 epoch"));
}

TEST(ActivityPlot, JoinsALastSampleOfMillisecondsToTheOneBefore) {
  auto record = made_record({});
  record.telemetry = {
      {.rank = 0, .end_s = 1, .duration_s = 1, .cpus = 2, .cpus_busy_s = 1},
      {.rank = 0, .end_s = 1.001, .duration_s = 0.001, .cpus = 2, .cpus_busy_s = 0.02}};
  const auto chart = charts_of("activity", {record}).front();
  ASSERT_EQ(chart.series.front().points.size(), 2U);
  EXPECT_NEAR(chart.series.front().points.front().y, 100 * 1.02 / (1.001 * 2), 1e-9);
}

TEST(LabPlot, NamesWhatWasLeftOut) {
  auto records = lab_runs();
  records.back().header.outcome = "failed";
  records.back().header.outcome_text = "<b>" + plot::hostile.substr(0, 60);
  const auto chart = charts_of("lab", records).front();
  ASSERT_EQ(chart.notes.size(), 1U);
  EXPECT_THAT(chart.notes.front(), HasSubstr("left out: 1 run: made.cpu4.b256.e5.r1-1.h5: "));
  EXPECT_EQ(plot::xml_fault(plot::svg(chart)), "");
}

TEST(StepsPlot, ShadesWhatIsNotExtrapolated) {
  const auto chart = charts_of("steps", {made_steps({.epochs = 5}, 40, 20)}).front();
  ASSERT_EQ(chart.series.front().points.size(), 200U);
  EXPECT_EQ(chart.series.front().points[0].y, 500);
  ASSERT_EQ(chart.spans.size(), 1U);
  EXPECT_EQ(chart.spans.front().to, 100.5);  // the later half is
  EXPECT_NEAR(chart.references.front().at, 100, 1e-9);
}

TEST(StepsPlot, SaysWhereIterationsWereNotRecorded) {
  const auto charts = charts_of("steps", {made_record({.epochs = 5}), made_steps({.epochs = 2})});
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_TRUE(plot::has_values(charts.front()));
  EXPECT_THAT(charts.front().notes.back(), HasSubstr("left out: 1 run"));
  EXPECT_THAT(charts.front().notes.back(), HasSubstr("single iterations were not recorded"));
}

record::Record of_size(const MadeRun& run, int depth) {
  auto record = made_record(run);
  record.parameters.push_back(parameter_row("model.depth", std::to_string(depth)));
  record.work.front().parameter_count = depth * 1000;
  record.header.point = record.header.point.str() + ".d" + std::to_string(depth);
  return record;
}

std::vector<record::Record> swept() {
  std::vector<record::Record> records;
  for (const int depth : {1, 2, 4, 8}) {
    records.push_back(of_size({.allocation = "cpu", .epochs = 5, .epoch_s = 2.0 * depth}, depth));
    records.push_back(
        of_size({.allocation = "gpu", .epochs = 5, .epoch_s = 6, .gpu = "T4"}, depth));
  }
  return records;
}

TEST(CrossoverPlot, HasTheNumbersOfTheTableAndTheCrossing) {
  const auto chart = charts_of("crossover", swept()).front();
  const auto tables = tables::all().at("crossover").make(all_loaded(swept()), {});
  EXPECT_EQ(y_of(series_of(chart, "cpu")), numbers_of(tables.front(), "cpu_s"));
  EXPECT_EQ(y_of(series_of(chart, "gpu")), numbers_of(tables.front(), "gpu_s"));
  ASSERT_EQ(chart.references.size(), 1U);
  EXPECT_EQ(chart.references.front().at,
            numbers_of(part_of(tables, "overtaking"), "interpolated_parameters").front());
  EXPECT_THAT(chart.references.front().label, HasSubstr("gpu faster than cpu from 2990"));
}

std::vector<record::Record> scaled() {
  std::vector<record::Record> records;
  for (const std::int64_t tasks : {1, 2, 4}) {
    auto record = made_record({.allocation = fmt::format("1x{}", tasks),
                               .epochs = 3,
                               .epoch_s = 100.0 / static_cast<double>(tasks) + 5,
                               .cpus = 1,
                               .batch = 16});
    record.allocation.push_back({"tasks_per_node", std::to_string(tasks), "", ""});
    for (std::int64_t rank = 1; rank < tasks; ++rank) {
      record.machines.push_back(record.machines.front());
      record.machines.back().rank = rank;
    }
    records.push_back(record);
  }
  return records;
}

TEST(ScalingPlot, HasTheNumbersOfTheTableAndAFit) {
  const auto charts = charts_of("scaling", scaled());
  const auto tables = tables::all().at("scaling").make(all_loaded(scaled()), {});
  ASSERT_EQ(charts.size(), 3U);
  EXPECT_EQ(y_of(charts[0].series.front()), numbers_of(tables.front(), "samples_per_s"));
  EXPECT_EQ(y_of(charts[1].series.front()), numbers_of(tables.front(), "speedup"));
  const auto percent = numbers_of(tables.front(), "efficiency_percent");
  for (std::size_t i = 0; i < percent.size(); ++i) {
    EXPECT_NEAR(charts[2].series.front().points[i].y, percent[i], 1e-9);
  }
  const auto& band = charts[1].series[1];
  EXPECT_EQ(band.kind, plot::Series::Kind::band);
  ASSERT_GE(band.points.size(), 4U);
  EXPECT_LT(*band.points.back().low, *band.points.back().high);
}

TEST(ScalingPlot, HasNoIntervalWhereAValueIsOneByDefinition) {
  for (const auto* name : {"speedup", "efficiency"}) {
    const auto charts = charts_of("scaling", scaled());
    const auto& chart = *std::ranges::find(charts, name, &plot::Chart::name);
    const auto& base = chart.series[1].points.front();
    EXPECT_EQ(chart.series[1].kind, plot::Series::Kind::band);
    EXPECT_EQ(base.low, base.y) << name;
    EXPECT_EQ(base.high, base.y) << name;
    EXPECT_NEAR(base.y, chart.name == "speedup" ? 1 : 100, 1e-9);
  }
}

/// On 2 CPUs and on 16, which do `gain` times as much.
std::vector<record::Record> two_allocations(double gain) {
  return {made_record({.epochs = 3, .epoch_s = 100}),
          made_record({.allocation = "cpu16", .epochs = 3, .epoch_s = 100 / gain, .cpus = 16})};
}

TEST(ScalingPlot, DrawsNoFitThatMissesWhatWasMeasured) {
  for (const double gain : {2.9, 12.0}) {  // less than the law allows, and more than ideal
    for (const auto& chart : charts_of("scaling", two_allocations(gain))) {
      EXPECT_EQ(chart.series.size(), 1U);
      EXPECT_THAT(chart.notes, testing::Contains(HasSubstr("no fit is drawn: it misses")));
    }
  }
  const auto charts = charts_of("scaling", two_allocations(6));
  ASSERT_EQ(charts.front().series.size(), 3U);
  EXPECT_NEAR(charts.front().series[2].points.back().y, charts.front().series[0].points[1].y, 1);
}

TEST(AccuracyPlot, HasALineForEachRunAndTheTarget) {
  auto one = made_steps({.epochs = 3});
  one.parameters.push_back(parameter_row("target_accuracy", "0.8"));
  auto other = made_steps({.epochs = 3, .repeat = 1});
  other.parameters.push_back(parameter_row("target_accuracy", "0.8"));
  const auto chart = charts_of("accuracy", {one, other, made_record({.epochs = 2})}).front();
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_THAT(y_of(chart.series[0]), ElementsAre(0.5, 0.75, 1 - 0.5 / 3));
  EXPECT_NEAR(chart.series[0].points[1].x, 8, 1e-9);  // two epochs of 40 steps of 0.1 s
  EXPECT_EQ(chart.series[0].look, chart.series[1].look);
  EXPECT_EQ(chart.series[1].name, "");  // in the legend once
  EXPECT_EQ(chart.references.front().at, 0.8);
  EXPECT_THAT(chart.notes.front(), HasSubstr("no accuracy after an epoch"));
}

/// 20 ms and `item_ms` an item, at three sizes.
std::vector<record::Record> batch_runs(const std::string& allocation, const std::string& model,
                                       double item_ms) {
  std::vector<record::Record> records;
  for (const std::int64_t batch : {10, 20, 40}) {
    auto record = made_steps({.allocation = allocation, .epochs = 2, .batch = batch}, 1000 / batch);
    record.parameters.front() = parameter_row("model", model);
    for (auto& row : record.iterations) {
      row.step_s = 0.02 + 1e-3 * item_ms * static_cast<double>(batch);
      row.start_s = row.step_s * static_cast<double>(row.epoch * 1000 / batch + row.index);
    }
    for (auto& epoch : record.epochs) {
      epoch.wall_s = record.iterations.front().step_s * static_cast<double>(epoch.iterations);
    }
    records.push_back(record);
  }
  return records;
}

TEST(BatchPlot, HasAPanelForEachAllocationAndALineForEachModel) {
  auto records = batch_runs("cpu2", "bert", 2);
  for (const auto& [allocation, model, item_ms] :
       {std::tuple{"cpu2", "tinybert", 1.0}, std::tuple{"t4", "bert", 0.5}}) {
    for (const auto& record : batch_runs(allocation, model, item_ms)) {
      records.push_back(record);
    }
  }
  const auto charts = charts_of("batch", records);
  ASSERT_EQ(charts.size(), 4U);
  EXPECT_THAT(charts[0].title, HasSubstr("Duration of a pass"));
  EXPECT_THAT(charts[0].title, HasSubstr("on cpu2"));
  EXPECT_THAT(charts[0].subtitle, HasSubstr("a pass: 1000 items; n = 6 runs"));
  EXPECT_THAT(charts[1].title, HasSubstr("on t4"));
  ASSERT_EQ(charts[0].series.size(), 2U);
  EXPECT_EQ(charts[0].series[1].name, "tinybert");
  EXPECT_EQ(series_of(charts[0], "bert").look, series_of(charts[1], "bert").look);
  const auto pass_s = y_of(series_of(charts[0], "bert"));  // 100 steps of 40 ms, 25 of 100 ms
  EXPECT_NEAR(pass_s.front(), 4, 1e-6);
  EXPECT_NEAR(pass_s.back(), 2.5, 1e-6);
  const auto& law = charts[2].series[0];
  EXPECT_FALSE(law.listed);
  EXPECT_NEAR(law.points.back().y, 100, 1e-6);
  const auto& points = series_of(charts[2], "bert: 20 ms + batch × 2 ms");
  EXPECT_NEAR(y_of(points).back(), 100, 1e-6);
}

TEST(LossesPlot, HasTheMedianOfRepeatsAndTheirRange) {
  auto other = made_record({.epochs = 3, .repeat = 1});
  for (auto& metric : other.metrics) {
    metric.value += 1;
  }
  const auto charts = charts_of("losses", {made_record({.epochs = 3}), other});
  ASSERT_EQ(charts.size(), 1U);  // one kind of run: both losses in one
  EXPECT_THAT(y_of(series_of(charts[0], "loss_g")), ElementsAre(1.5, 2.5, 3.5));
  EXPECT_EQ(charts[0].series[0].kind, plot::Series::Kind::band);
  EXPECT_EQ(charts[0].series[0].points[0].high, 1.5);
  const auto apart = charts_of(
      "losses", {made_record({.epochs = 3}), made_record({.allocation = "b", .epochs = 3})});
  EXPECT_EQ(apart.size(), 2U);  // two: a chart for each loss
}

/// Trainings that differ in the learning rate; the loss ends the lower the higher that is.
std::vector<record::Record> swept_rates(int count) {
  std::vector<record::Record> records;
  for (int i = 1; i <= count; ++i) {
    auto record = made_record({.epochs = 3, .repeat = 0});
    record.header.point = fmt::format("made.{}", i);
    record.parameters.push_back(parameter_row("lr", fmt::format("{}", i)));
    record.metrics.clear();
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      const double loss = 100.0 / i - static_cast<double>(epoch);
      record.metrics.push_back({epoch, "loss", loss});
      record.metrics.push_back({epoch, "val_loss", loss + 1});
    }
    records.push_back(record);
  }
  return records;
}

TEST(LossesPlot, KnowsLossesByTheirUsualNames) {
  auto records = swept_rates(2);
  for (auto& record : records) {
    for (auto& row : record.metrics) {
      row.name = row.name.view() == "loss" ? "train_loss" : "eval/loss";
    }
    record.metrics.push_back({0, "loss_scale", 65536});
  }
  const auto charts = charts_of("losses", records);
  ASSERT_EQ(charts.size(), 1U) << "training and held-out data in one, and no loss_scale";
  EXPECT_TRUE(series_of(charts[0], "lr=2").listed);
  EXPECT_FALSE(series_of(charts[0], "lr=2, held-out data").listed);
}

TEST(LossesPlot, NamesTheBestOfManyKindsByWhatDiffers) {
  const auto charts = charts_of("losses", swept_rates(20));
  ASSERT_EQ(charts.size(), 1U);
  std::vector<std::string> listed;
  for (const auto& series : charts[0].series) {
    EXPECT_EQ(series.faint, series.look == 6) << series.name;
    if (series.listed) {
      listed.push_back(series.name);
    }
  }
  EXPECT_THAT(listed, ElementsAre("lr=15", "lr=16", "lr=17", "lr=18", "lr=19", "lr=20"));
  EXPECT_EQ(charts[0].series.size(), 40U);
  EXPECT_THAT(charts[0].subtitle, HasSubstr("dashed: on held-out data"));
  EXPECT_THAT(charts[0].notes.front(), HasSubstr("the 6 of 20 kinds of runs that end lowest"));
  const auto few = charts_of("losses", swept_rates(3)).front();
  EXPECT_THAT(few.notes, testing::IsEmpty());
  EXPECT_TRUE(series_of(few, "lr=1").listed);
  EXPECT_FALSE(series_of(few, "lr=1, held-out data").listed);
}

TEST(ActivityPlot, HasTheShareOfTheCpusByTheRunAndByAll) {
  auto record = made_activity();
  record.telemetry_gpus.push_back({.end_s = 1, .duration_s = 1, .use = 0.75});
  auto& usage = record.usage.emplace_back();  // others took most of the CPUs
  usage.epoch = 0;
  usage.start_s = 1;
  usage.duration_s = usage.covered_s = 3;
  usage.cpus = usage.threads = 2;
  usage.own_cpu_s = 2;
  usage.other_cpu_s = 4;
  const auto charts = charts_of("activity", {record});
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_THAT(y_of(series_of(charts[0], "this run")), ElementsAre(75, 75, 25, 75, 75));
  EXPECT_THAT(y_of(series_of(charts[0], "all programs on the allocated CPUs")),
              ElementsAre(87.5, 87.5, 100, 87.5, 87.5));
  EXPECT_EQ(charts[0].series[1].points[1].x, 1);
  EXPECT_TRUE(std::isnan(series_of(charts[0], "all CPUs of the node").points[0].y));
  EXPECT_THAT(y_of(series_of(charts[1], "kernels run")), ElementsAre(75, 75));
  ASSERT_EQ(charts[0].spans.size(), 1U);
  EXPECT_EQ(charts[0].spans.front().from, 1);
  EXPECT_THAT(charts[0].notes.front(), HasSubstr("another process used"));
  std::vector<std::string> why_not;
  EXPECT_TRUE(drawable(charts_of("activity", {made_record({})}), why_not).empty());
  EXPECT_THAT(why_not.front(), HasSubstr("no telemetry"));
}

TEST(ActivityPlot, OfOneRunShowsEachCpuAndMemoryPowerAndTemperatureOfGpus) {
  auto record = made_activity();  // simulated
  for (int i = 0; i < 4; ++i) {
    const double end_s = i + 1.0;
    record.telemetry_cpus.push_back({.end_s = end_s, .duration_s = 1, .cpu = 4, .busy_s = 1});
    record.telemetry_cpus.push_back({.end_s = end_s, .duration_s = 1, .cpu = 5, .busy_s = 0.25});
    record.telemetry_gpus.push_back({.end_s = end_s,
                                     .duration_s = 1,
                                     .use = 0.5,
                                     .memory_bytes = 3.0 * 1024 * 1024 * 1024,
                                     .temperature_c = 60.0 + i});
  }
  record.telemetry_cpus.push_back({.end_s = 4.001, .duration_s = 0.001, .cpu = 5, .busy_s = 0.01});
  const auto charts = charts_of("activity", {record});
  ASSERT_EQ(charts.size(), 5U);  // no power: it was not measured
  EXPECT_EQ(charts[1].name, "activity_cores");
  EXPECT_THAT(y_of(series_of(charts[1], "CPU 4")), ElementsAre(100, 100, 100, 100, 100));
  EXPECT_NEAR(series_of(charts[1], "CPU 5").points[3].y, 26, 0.1);  // the last sample is joined
  EXPECT_EQ(charts[3].name, "gpu_memory");
  EXPECT_THAT(y_of(charts[3].series.front()), ElementsAre(3, 3, 3, 3, 3));
  EXPECT_EQ(charts[4].y.unit, "°C");
  EXPECT_THAT(y_of(charts[4].series.front()), ElementsAre(60, 61, 62, 63, 63));
  const auto of_two = charts_of("activity", {record, record});
  EXPECT_EQ(of_two.size(), 4U);
  EXPECT_THAT(of_two.back().notes, testing::Contains(HasSubstr("of one run alone")));
}

TEST(ActivityPlot, HasNoLegendOfManyCpus) {
  auto record = made_activity();
  for (int cpu = 0; cpu < 32; ++cpu) {
    record.telemetry_cpus.push_back({.end_s = 1, .duration_s = 1, .cpu = cpu, .busy_s = 0.5});
  }
  const auto chart = charts_of("activity", {record}).at(1);
  EXPECT_EQ(chart.series.size(), 32U);
  EXPECT_TRUE(std::ranges::none_of(chart.series, &plot::Series::listed));
  EXPECT_THAT(chart.subtitle, HasSubstr("CPUs 0 to 31; 32 CPUs"));
}

TEST(ActivityPlot, IsDrawnFromAFile) {
  const TemporaryFolder folder;
  write_records({made_activity()}, folder / "records");
  const auto result = analyze({"plot", "activity", folder / "records"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("this run"));
}

TEST(RooflinePlot, HasTheNumbersOfTheTableOrSaysWhatIsMissing) {
  const TemporaryFolder folder;
  set_bytes(folder / "here.yaml",
            "label: this machine\nnames: [made]\nsource: made in a test\nfigures:\n"
            "  achieved_fp32_tflops: 0.1\n  achieved_bandwidth_gb_s: 10\n");
  auto record = made_record({});
  auto& profile = record.profile.emplace_back();
  profile.device = "cpu";
  profile.steps = 2;
  profile.wall_s = 10;
  record.operators = {{.name = "<aten::mm>",
                       .place = "host",
                       .calls = 2,
                       .self_cpu_s = 6,
                       .flops = 300e9,
                       .bytes = 1e9,
                       .work_s = 6}};
  const auto charts = charts_of("roofline", {record}, {.device = folder / "here.yaml"});
  const auto& point = charts.front().series.front().points.front();
  EXPECT_EQ(point.x, 300);
  EXPECT_NEAR(point.y, 50, 1e-9);
  EXPECT_NEAR(*point.high, 100, 1e-9);
  EXPECT_THAT(point.note, HasSubstr("60.0 % of the time, limited by arithmetic"));
  EXPECT_EQ(plot::xml_fault(plot::svg(charts.front())), "");
  std::vector<std::string> why_not;
  EXPECT_TRUE(drawable(charts_of("roofline", {record}), why_not).empty());
  EXPECT_THAT(why_not.front(), HasSubstr("give --device FILE"));
}

TEST(LedgerPlot, HasForecastsWithTheirIntervalsAndOutcomes) {
  const TemporaryFolder folder;
  std::vector<ledger::LedgerRow> rows;
  for (const double took_s : {95.0, 150.0}) {
    auto& row = rows.emplace_back();
    row.out = "/out";
    row.point = fmt::format("p{}", took_s);
    row.allocation = "cpu2";
    row.forecast_s = 100;
    row.low_80_s = 90;
    row.high_80_s = 110;
    row.low_95_s = 80;
    row.high_95_s = 120;
    row.asked_s = 7200;
    row.used_s = row.actual_s = took_s;
    row.outcome = ledger::Outcome::complete;
  }
  ledger::put_in_ledger(ledger::ledger_of(folder.path()), rows);
  const auto charts = plots::all().at("ledger").of_files({folder.path()});
  ASSERT_EQ(charts.size(), 2U);
  const auto& inside = series_of(charts[0], "inside the 95 % interval").points.front();
  EXPECT_EQ(inside.x, 95);
  EXPECT_EQ(inside.high, 120);
  EXPECT_EQ(series_of(charts[0], "outside").points.size(), 1U);
  EXPECT_THAT(y_of(series_of(charts[1], "asked for")), ElementsAre(4));
}

TEST(Plots, DrawHostileRecordsAsText) {
  auto records = lab_runs();
  for (auto record : swept()) {
    records.push_back(record);
  }
  for (auto record : scaled()) {
    records.push_back(record);
  }
  records.push_back(made_steps({.epochs = 3}, 40, 10));
  for (auto& record : records) {
    record.header.allocation = "<b>&" + record.header.allocation.str() + "\x1b[31m\n\"';touch x";
    record.header.point = "<script>" + record.header.point.str();
    record.machines.front().gpu_name =
        record.machines.front().gpu_name.view().empty() ? "" : "<gpu>\xFF";
  }
  const auto all = all_loaded(records);
  std::size_t drawn = 0;
  for (const auto& [name, spec] : plots::all()) {
    if (spec.of_files) {
      continue;
    }
    std::vector<std::string> why_not;
    const auto charts = drawable(spec.make(all, {}), why_not);
    if (charts.empty()) {
      continue;
    }
    const auto text = plot::svg(charts);
    EXPECT_EQ(plot::xml_fault(text), "") << name;
    EXPECT_THAT(text, Not(testing::AnyOf(HasSubstr("<b>"), HasSubstr("<script"), HasSubstr("\x1b"),
                                         HasSubstr("<gpu"))))
        << name;
    ++drawn;
  }
  EXPECT_GE(drawn, 6U);
}

TEST(RunForecastPlot, ShowsTheSeenTheForecastAndWhatFollowed) {
  const auto charts = charts_of("run_forecast", {made_record({.epochs = 10})}, {.epochs_seen = 3});
  ASSERT_EQ(charts.size(), 2U);
  const auto& elapsed = charts.back();
  EXPECT_EQ(series_of(elapsed, "seen").points.size(), 3U);
  EXPECT_EQ(series_of(elapsed, "not seen by the forecast").points.size(), 7U);
  const auto& line = series_of(elapsed, "forecast");
  ASSERT_EQ(line.points.size(), 8U);  // from the last epoch seen to the tenth
  EXPECT_EQ(line.points.front().x, 3);
  EXPECT_EQ(line.points.back().x, 10);
  const auto& band = series_of(elapsed, "95 % interval").points;
  const auto& inner = series_of(elapsed, "80 % interval").points;
  EXPECT_EQ(band.front().low, band.front().high);
  for (std::size_t i = 1; i < band.size(); ++i) {
    EXPECT_LE(band[i].low, inner[i].low);
    EXPECT_LT(inner[i].low, inner[i].high);
    EXPECT_GE(band[i].high, inner[i].high);
    EXPECT_GT(*band[i].high - *band[i].low, *band[i - 1].high - *band[i - 1].low);
  }
  EXPECT_THAT(elapsed.notes, testing::ElementsAre(HasSubstr("the last epoch ended after")));
  EXPECT_THAT(charts.front().references.front().label, HasSubstr("extrapolated"));
}

TEST(RunForecastPlot, SeesTwoEpochsOfARunThatEndedAndAllOfOneThatHasNot) {
  auto pilot = made_record({.epochs = 10});
  pilot.epochs.resize(4);
  const auto of_pilot = charts_of("run_forecast", {pilot});
  EXPECT_EQ(series_of(of_pilot.front(), "seen").points.size(), 4U);
  EXPECT_EQ(of_pilot.front().series.size(), 1U);
  const auto of_whole = charts_of("run_forecast", {made_record({.epochs = 10})});
  EXPECT_EQ(series_of(of_whole.front(), "seen").points.size(), 2U);
}

TEST(RunForecastPlot, ShowsARefusalWithItsReason) {
  auto record = made_record({.epochs = 20});
  double start_s = record.epochs.front().start_s;
  for (auto& epoch : record.epochs) {  // simulated: the second took no time
    epoch.start_s = start_s;
    epoch.wall_s = epoch.epoch == 1 ? 0 : 10;
    start_s += epoch.wall_s;
  }
  record.iterations.clear();
  const auto charts = charts_of("run_forecast", {record}, {.epochs_seen = 2});
  EXPECT_THAT(charts.front().title, testing::StartsWith("Refused forecast of"));
  EXPECT_THAT(charts.front().notes, testing::Contains(HasSubstr("the last steps took no time")));
  for (const auto& chart : charts) {
    EXPECT_EQ(chart.series.size(), 2U);  // no forecast
  }
}

TEST(RunForecastPlot, NamesWhatARecordLacks) {
  auto empty = made_record({.epochs = 10});
  empty.epochs.clear();
  const auto charts = charts_of("run_forecast", {empty});
  EXPECT_FALSE(plot::has_values(charts.front()));
  EXPECT_THAT(charts.front().notes, testing::Contains(HasSubstr("no epoch is recorded")));
}

TEST(RunForecastPlot, LeavesOutWhatHasNoFirstEpochOrNothingAheadAndSaysWhy) {
  auto late = made_record({.allocation = "late", .epochs = 20});  // as a study that published its
  late.epochs.erase(late.epochs.begin(), late.epochs.end() - 1);  // last epoch only
  auto resumed = made_record({.allocation = "resumed", .epochs = 6});
  resumed.epochs.erase(resumed.epochs.begin(), resumed.epochs.begin() + 3);
  resumed.header.resumed_from = "made-1.h5";
  const auto charts = charts_of(
      "run_forecast", {late, made_record({.epochs = 1}), resumed, made_record({.epochs = 2})});
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(series_of(charts[0], "seen").points.front().x, 4);
  EXPECT_THAT(charts[0].subtitle, HasSubstr("resumed; forecast from epochs 4 to 5 of 6"));
  EXPECT_EQ(series_of(charts[1], "seen").points.size(), 1U);  // of two, one is ahead
  EXPECT_THAT(charts[1].notes,
              testing::Contains(testing::AllOf(HasSubstr("left out: 2 runs"),
                                               HasSubstr("its first recorded epoch is epoch 20"),
                                               HasSubstr("all its 1 epoch have ended"))));
}

TEST(Plots, SayWhatTheyNeed) {
  for (const auto& [name, spec] : plots::all()) {
    EXPECT_FALSE(spec.summary.empty()) << name;
    EXPECT_FALSE(spec.needs.empty()) << name;
    EXPECT_NE(static_cast<bool>(spec.make), static_cast<bool>(spec.of_files)) << name;
  }
}

using PlotProgram = Program;

TEST_F(PlotProgram, WritesThePictureAndItsData) {
  const auto result = analyze({"plot", "lab", good(), "-o", folder_ / "lab.svg"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("lab.csv"));
  EXPECT_EQ(plot::xml_fault(bytes_of(folder_ / "lab.svg")), "");
  EXPECT_THAT(bytes_of(folder_ / "lab.csv"), HasSubstr("lab,1 epoch × 5,"));
  EXPECT_EQ(plot::xml_fault(analyze({"plot", "lab", good()}).out), "");
}

TEST_F(PlotProgram, KeepsAFileThatIsNotItsOwnData) {
  set_bytes(folder_ / "lab.csv", "mine");
  const auto result = analyze({"plot", "lab", good(), "-o", folder_ / "lab.svg"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("is not the data of a picture"));
  EXPECT_EQ(bytes_of(folder_ / "lab.csv"), "mine");
  EXPECT_EQ(analyze({"plot", "lab", good(), "-o", folder_ / "other.svg"}).status, 0);
  EXPECT_EQ(analyze({"plot", "lab", good(), "-o", folder_ / "other.svg"}).status, 0);
}

TEST_F(PlotProgram, HasNoEmptyPicture) {
  const auto result = analyze({"plot", "steps", good(), "-o", folder_ / "steps.svg"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("plot steps: nothing to draw: it needs records of single "
                                    "iterations ("));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "steps.svg"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "steps.csv"));
}

TEST_F(PlotProgram, RefusesWhatItCannotWriteOrDoesNotKnow) {
  EXPECT_EQ(analyze({"plot", "lab", good(), "-o", folder_ / "lab.jpg"}).status, 2);
  const auto unknown = analyze({"plot", "labb", good()});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'lab'?"));
  EXPECT_THAT(analyze({"plot", "list"}).out, HasSubstr("scaling"));
  EXPECT_EQ(analyze({"plot", "lab", mixed(), "-o", folder_ / "mixed.svg"}).status, 1);  // damaged
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mixed.svg"));
}

}  // namespace
}  // namespace epochcast::analysis
