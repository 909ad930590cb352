// One text of MLPerf's events, three ways to read it: import mllog, import log and, as it is
// printed, live. All three give the same epochs, times and metrics.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/import/importer.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/measure/progress/reading/mllog_events.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"
#include "src/record/queries.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

constexpr std::int64_t origin_ms = 1'600'000'000'000;

/// A log that is written second by second.
class Log {
 public:
  Log& wait(double seconds) {
    now_ms_ += std::llround(seconds * 1000);
    return *this;
  }
  Log& event(const std::string& key, const std::string& number = "",
             const std::string& value = "null", const std::string& more = "") {
    text_ += fmt::format(
        R"({}:::MLLOG {{"time_ms": {}, "key": "{}", "value": {}, "metadata": {{"lineno": 7{}{}}}}})",
        prefix, origin_ms + now_ms_, key, value, number.empty() ? "" : ", \"epoch_num\": " + number,
        more.empty() ? "" : ", " + more);
    text_ += "\n";
    return *this;
  }
  Log& line(const std::string& words) {
    text_ += words + "\n";
    return *this;
  }
  std::string prefix;
  operator std::string() const { return text_; }  // NOLINT(google-explicit-constructor)

 private:
  std::int64_t now_ms_ = 0;
  std::string text_;
};

Log run_with_evaluations(const std::string& prefix = "") {
  Log log;
  log.prefix = prefix;
  log.event("init_start").wait(3).event("init_stop").event("run_start");
  for (int epoch = 1; epoch <= 4; ++epoch) {
    const auto number = std::to_string(epoch);
    log.event("epoch_start", number).wait(20 + epoch).event("epoch_stop", number);
    log.event("eval_start", number).wait(2.5);
    log.event("eval_accuracy", number, fmt::format("0.{}", epoch));
    log.event("eval_stop", number).wait(0.25);
  }
  return log.event("run_stop");
}

struct Text {
  const char* name;
  std::string text;
  std::vector<double> walls, evaluations;
};

std::vector<Text> texts() {
  const std::vector<double> plain{21, 22, 23, 24};
  Log inside;
  inside.event("run_start");
  for (const auto* number : {"0", "1", "2"}) {
    inside.event("epoch_start", number).wait(10).event("eval_start", number).wait(3);
    inside.event("eval_accuracy", number, "0.5").event("eval_stop", number).wait(7);
    inside.event("epoch_stop", number);
  }
  Log ranks;
  for (const auto* number : {"1", "2", "3"}) {
    ranks.event("epoch_start", number).wait(0.002).event("epoch_start", number).wait(30);
    ranks.event("epoch_stop", number).wait(0.002).event("epoch_stop", number);
  }
  Log crash;
  crash.event("epoch_start", "1").wait(10).event("epoch_stop", "1");
  crash.event("epoch_start", "2").wait(4).event("eval_start", "2").wait(1).event("eval_stop", "2");
  crash.line("Resuming from checkpoint").wait(600).event("epoch_start", "2").wait(11);
  crash.event("epoch_stop", "2").event("epoch_start", "3").wait(12).event("epoch_stop", "3");
  Log lost;  // the second has no stop
  lost.event("epoch_start", "1").wait(10).event("epoch_stop", "1").wait(1);
  lost.event("epoch_start", "2").wait(5).event("epoch_start", "3").wait(2);
  lost.event("eval_start", "3").wait(1).event("eval_stop", "3").wait(8).event("epoch_stop", "3");
  lost.event("epoch_start", "4").wait(13).event("epoch_stop", "4");
  Log overlap;
  overlap.event("epoch_start", "1").wait(10).event("epoch_start", "2").wait(1);
  overlap.event("epoch_stop", "1").wait(9).event("epoch_stop", "2");
  Log numbers;  // of steps
  for (const auto* number : {"0", "500", "1000"}) {
    numbers.event("epoch_start", number).wait(5).event("epoch_stop", number).wait(1);
  }
  return {{"evaluations_between", run_with_evaluations(), plain, {2.5, 2.5, 2.5, 2.5}},
          {"stamps_in_front",
           run_with_evaluations("2020-09-13 12:26:40 "),
           plain,
           {2.5, 2.5, 2.5, 2.5}},
          {"evaluations_inside", inside, {17, 17, 17}, {3, 3, 3}},
          {"two_ranks", ranks, {30, 30, 30}, {0, 0, 0}},
          {"crash", crash, {10, 11, 12}, {0, 0, 0}},
          {"lost_stop", lost, {10, 10, 13}, {0, 1, 0}},
          {"overlap", overlap, {11, 9}, {0, 0}},
          {"numbers_of_steps", numbers, {5, 5, 5}, {0, 0, 0}}};
}

record::Record imported(const std::string& kind, const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder / "run.txt";
  set_bytes(path, text);
  return importers::all().at(kind).read(path, {}).records.at(0);
}

/// Each line when it was printed.
record::Record read_live(const std::string& text) {
  progress::Recognizer recognizer({});
  double at_s = 0;
  std::optional<std::int64_t> first_ms;
  for (const auto& line : split(text, '\n')) {
    for (const auto& event : progress::mllog::read_events("", line).events) {
      first_ms = first_ms.value_or(event.time_ms);
      at_s = std::max(at_s, static_cast<double>(event.time_ms - *first_ms) / 1000);
    }
    recognizer.read(progress::Stream::out, line + "\n", at_s);
  }
  recognizer.finish(at_s);
  auto rows = recognizer.take();
  record::Record record;
  record.epochs = std::move(rows.epochs);
  record.metrics = std::move(rows.metrics);
  return record;
}

std::vector<std::string> shown(const record::Record& record) {
  std::vector<std::string> rows;
  const double begin_s = record.epochs.empty() ? 0 : record.epochs.front().start_s;
  for (const auto& epoch : record.epochs) {
    rows.push_back(fmt::format("epoch {}: start {:.3f} wall {:.3f} evaluate {:.3f}", epoch.epoch,
                               epoch.start_s - begin_s, epoch.wall_s, epoch.evaluate_s));
  }
  for (const auto& metric : record.metrics) {
    if (metric.name.view() == "block_number") {
      continue;  // blocks are of import mllog only
    }
    rows.push_back(
        fmt::format("epoch {}: {} = {}", metric.epoch, metric.name.view(), metric.value));
  }
  return rows;
}

/// The first row that differs; "" if there is none.
std::string difference(const std::vector<std::string>& found,
                       const std::vector<std::string>& right) {
  const auto [a, b] = std::ranges::mismatch(found, right);
  return a == found.end() && b == right.end()
             ? ""
             : fmt::format("'{}', right: '{}'", a == found.end() ? "" : *a,
                           b == right.end() ? "" : *b);
}

void expect_same(const std::string& text) {
  const auto of_events = shown(imported("mllog", text));
  EXPECT_EQ(difference(shown(imported("log", text)), of_events), "");
  EXPECT_EQ(difference(shown(read_live(text)), of_events), "");
}

class Mllog : public testing::TestWithParam<Text> {};

TEST_P(Mllog, IsReadTheSameInThreeWays) {
  expect_same(GetParam().text);
  std::vector<double> walls, evaluations;
  for (const auto& epoch : imported("mllog", GetParam().text).epochs) {
    walls.push_back(std::round(epoch.wall_s * 1000) / 1000);
    evaluations.push_back(std::round(epoch.evaluate_s * 1000) / 1000);
  }
  EXPECT_EQ(walls, GetParam().walls);
  EXPECT_EQ(evaluations, GetParam().evaluations);
}

INSTANTIATE_TEST_SUITE_P(Texts, Mllog, testing::ValuesIn(texts()),
                         [](const auto& text) { return std::string(text.param.name); });

/// Blocks of 30, 10 and 10 s, with pauses of 2 s in which 1.5 s are an evaluation, and metadata.
std::string blocks(const std::vector<std::string>& starts, const std::vector<std::string>& stops) {
  Log log;
  log.event("run_start").wait(1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    log.event("block_start", "", "null", starts[i]).wait(i == 0 ? 30 : 10);
    log.event("block_stop", "", "null", stops[i]);
    log.event("eval_start").wait(1.5).event("eval_stop").wait(0.5);
  }
  return log;
}

struct Spelling {
  const char* name;
  std::vector<std::string> starts, stops;
  std::string unit;
  std::vector<std::int64_t> work;
};

std::vector<Spelling> spellings() {
  const auto counting = [](const std::vector<int>& counts) {
    std::vector<std::string> texts;
    for (const int count : counts) {
      texts.push_back(fmt::format("\"samples_count\": {}", count));
    }
    return texts;
  };
  const auto own = counting({300, 100, 100});
  const auto to = counting({300, 400, 500});
  const std::vector<std::string> none{"\"a\": 1", "\"a\": 1", "\"a\": 1"};
  return {
      {"its_own_twice", own, own, "samples", {300, 100, 100}},
      {"cumulative", counting({0, 300, 400}), to, "samples", {300, 100, 100}},
      {"batches_at_the_start", counting({0, 3, 4}), to, "samples", {300, 100, 100}},
      {"start_twice", counting({0, 300, 400}), counting({0, 300, 400}), "samples", {300, 100, 0}},
      {"end_twice", to, to, "samples", {300, 100, 100}},
      {"at_the_stop_only", none, to, "samples", {300, 100, 100}},
      {"steps",
       {"\"step_num\": 0", "\"step_num\": 30", "\"step_num\": 40"},
       {"\"step_num\": 30", "\"step_num\": 40", "\"step_num\": 50"},
       "steps",
       {30, 10, 10}},
      {"epoch_count",
       {"\"epoch_count\": 3", "\"epoch_count\": 1", "\"epoch_count\": 1"},
       none,
       "count",
       {3, 1, 1}},
      {"nothing", none, none, "", {0, 0, 0}}};
}

class MllogBlocks : public testing::TestWithParam<Spelling> {};

TEST_P(MllogBlocks, AreTheEpochsOfALogWithoutEpochs) {
  const auto& [name, starts, stops, unit, work] = GetParam();
  const auto record = imported("mllog", blocks(starts, stops));
  std::vector<std::int64_t> found;
  for (const auto& epoch : record.epochs) {
    found.push_back(epoch.samples);
  }
  EXPECT_EQ(found, work);
  EXPECT_EQ(record::parameter(record, "block_work"), unit);
  EXPECT_THAT(record.header.note.str(), testing::HasSubstr("3 blocks and no epochs"));
  ASSERT_EQ(record.epochs.size(), 3u);
  EXPECT_NEAR(record.epochs[1].start_s, 33, 1e-9);
  EXPECT_NEAR(record.epochs[1].evaluate_s, 1.5, 1e-9);
  if (work.back() == 0) {
    return;
  }
  // 2 more blocks like the last one: each takes 10 s, and 2 s follow.
  const auto whole =
      forecast::forecast_of(record, forecast::RunLength{.samples = work[0] + 4 * work[2]});
  EXPECT_NEAR(std::get<forecast::Forecast>(whole).total_s.value, 1 + 30 + 4 * 10 + 5 * 2, 1);
}

INSTANTIATE_TEST_SUITE_P(Spellings, MllogBlocks, testing::ValuesIn(spellings()),
                         [](const auto& one) { return std::string(one.param.name); });

/// Two blocks of `steps` steps of 2 s, 4 sequences of 8 tokens each; evaluations follow.
Log language_model(const std::string& first_block, const std::string& second_block) {
  Log log;
  log.event("global_batch_size", "", "4").event("max_sequence_length", "", "8");
  log.event("max_steps", "", "60").event("run_start");
  int step = 0;
  for (const auto& block : {first_block, second_block}) {
    log.event("block_start", "", "null", block);
    for (int i = 0; i < 2; ++i) {
      log.wait(20).event("tracked_stats", "",
                         R"({"train_step_time": 2.5, "reduced_train_loss": 1})",
                         fmt::format(R"("step": {})", step += 10));
    }
    log.event("block_stop", "", "null", block);
    const auto at = fmt::format(R"("samples_count": {})", 4 * step);
    log.event("eval_start", "", "null", at).wait(3).event("eval_accuracy", "", "0.5", at);
    log.event("eval_stop", "", "null", at);
  }
  return log;
}

TEST(MllogSteps, AreTheTrackedOnesOfEachBlock) {
  const auto record =
      imported("mllog", language_model("\"epoch_count\": 640", "\"epoch_count\": 640"));
  EXPECT_EQ(record::parameter(record, "block_work"), "tokens");
  EXPECT_EQ(record::parameter(record, "max_steps"), "60");
  EXPECT_EQ(record::parameter(record, "sequence_length"), "8");
  ASSERT_EQ(record.iterations.size(), 4u);
  std::vector<std::array<std::int64_t, 3>> places;
  for (const auto& row : record.iterations) {
    places.push_back({row.epoch, row.index, row.samples});
    EXPECT_EQ(row.step_s, 2.5);  // as stated, not 20 s for 10 steps
  }
  EXPECT_EQ(places, (std::vector<std::array<std::int64_t, 3>>{
                        {0, 9, 4}, {0, 19, 4}, {1, 9, 4}, {1, 19, 4}}));
  EXPECT_EQ(record.epochs[1].iterations, 20);
  EXPECT_EQ(record.epochs[1].samples, 640);
  std::vector<double> found;
  for (const auto& metric : record.metrics) {
    if (metric.name.view() == "evaluated_at_samples" || metric.name.view() == "eval_accuracy") {
      found.push_back(metric.value);
    }
  }
  EXPECT_EQ(found, (std::vector<double>{80, 160, 0.5, 0.5}));
  EXPECT_EQ(std::ranges::count(record.spans, "evaluate",
                               [](const auto& span) { return span.name.view(); }),
            2);
  EXPECT_EQ(record.epochs[0].evaluate_s, 3);
}

TEST(MllogSteps, AreBetweenMarksWhereNoTimeIsStated) {
  auto text = std::string(language_model("\"samples_count\": 80", "\"samples_count\": 80"));
  for (auto at = text.find("train_step_time"); at != std::string::npos;
       at = text.find("train_step_time", at)) {
    text.replace(at, 15, "throughput");
  }
  const auto record = imported("mllog", text);
  EXPECT_EQ(record::parameter(record, "block_work"), "samples");
  ASSERT_EQ(record.iterations.size(), 4u);
  EXPECT_NEAR(record.iterations[2].step_s, 2, 1e-9);  // without the evaluation before
  EXPECT_NEAR(record.iterations[2].start_s, 40 + 3 + 18, 1e-9);
}

TEST(MllogSteps, AreSamplesWhereTheBatchIsKnown) {
  Log log;
  log.event("global_batch_size", "", "16");
  const auto record =
      imported("mllog", std::string(log) + blocks({"\"step_num\": 0", "\"step_num\": 30"},
                                                  {"\"step_num\": 30", "\"step_num\": 40"}));
  EXPECT_EQ(record::parameter(record, "block_work"), "samples");
  EXPECT_EQ(record.epochs.at(0).samples, 480);
  EXPECT_EQ(record.epochs.at(1).samples, 160);
  EXPECT_EQ(record.epochs.at(1).iterations, 10);
  EXPECT_THAT(record.header.note.str(), testing::HasSubstr("samples (stated: steps)"));
}

TEST(MllogSteps, CountInSamplesWhereTheyAreMoreThanTheBlocksHave) {
  Log log;
  log.event("global_batch_size", "", "4").event("run_start");
  for (int block = 0; block < 2; ++block) {  // cumulative of the start: the evaluation has the last
    const auto before = fmt::format("\"samples_count\": {}", 80 * block);
    log.event("block_start", "", "null", before);
    for (int i = 1; i <= 2; ++i) {
      log.wait(20).event("tracked_stats", "", R"({"loss": 1})",
                         fmt::format("\"step\": {}", 80 * block + 40 * i));
    }
    log.event("block_stop", "", "null", before);
    log.event("eval_start", "", "null", fmt::format("\"samples_count\": {}", 80 * (block + 1)));
    log.event("eval_stop");
  }
  const auto record = imported("mllog", log);
  EXPECT_EQ(record.epochs.at(1).samples, 80);
  ASSERT_EQ(record.iterations.size(), 4u);
  EXPECT_EQ(record.iterations[3].index, 19);
  EXPECT_EQ(record.iterations[3].step_s, 2);
}

TEST(MllogSteps, AreOfAnEpochWhereTheCountIsOne) {
  Log log;
  log.event("global_batch_size", "", "4").event("train_samples", "", "400").event("run_start");
  log.event("block_start", "", "null", "\"epoch_count\": 1");
  for (int i = 1; i <= 4; ++i) {
    const auto at = fmt::format("\"samples_count\": {}", 100 * i);
    log.wait(50).event("eval_start", "", "null", at).wait(3).event("eval_stop", "", "null", at);
  }
  const auto record = imported("mllog", log.event("block_stop"));
  EXPECT_EQ(record::parameter(record, "block_work"), "samples");
  EXPECT_EQ(record.epochs.at(0).samples, 400);
  ASSERT_EQ(record.iterations.size(), 4u);
  EXPECT_EQ(record.iterations[3].index, 99);
  EXPECT_EQ(record.iterations[3].step_s, 2);
}

class PublicMllog : public testing::TestWithParam<const char*> {};

TEST_P(PublicMllog, IsReadTheSameInThreeWays) {
  const auto file = fmt::format("timing/mlperf/logs/dgxa100_ngc21.05_{}-result_0.txt", GetParam());
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  expect_same(bytes_of(shared_data(file)));
}

TEST(MllogSchedule, IsThatOfTheCommandLine) {
  const std::string file = "timing/mlperf/logs/dgxa100_ngc21.05_mxnet-resnet-result_0.txt";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto log = bytes_of(shared_data(file));  // --eval-period 4 --eval-offset 2; 35 epochs
  const auto whole = imported("mllog", log);
  const auto schedules = forecast::stated_schedules(whole, {.epochs = 35});
  ASSERT_EQ(schedules.size(), 1u);
  for (const auto& epoch : whole.epochs) {
    EXPECT_EQ(epoch.evaluate_s > 0.5,
              schedules[0].count_until(static_cast<double>(epoch.epoch + 1)) >
                  schedules[0].count_until(static_cast<double>(epoch.epoch)))
        << epoch.epoch;
  }
  const auto begin = log.rfind('\n', log.find("\"epoch_start\"", log.find("\"epoch_num\": 2}")));
  const auto cut = imported("mllog", log.substr(0, begin + 1));
  ASSERT_EQ(cut.epochs.size(), 2u) << "none was seen yet";
  const auto found =
      std::get<forecast::Forecast>(forecast::forecast_of(cut, forecast::RunLength{.epochs = 35}));
  const double true_s = 1724.5;  // from run_start to run_stop
  EXPECT_NEAR(found.total_s.value / true_s, 1, 0.1);
  EXPECT_LT(found.total_s.interval_95.low, true_s);
  EXPECT_GT(found.total_s.interval_95.high, true_s);
}

INSTANTIATE_TEST_SUITE_P(Logs, PublicMllog,
                         testing::Values("mxnet-resnet", "mxnet-ssd", "pytorch-rnnt"),
                         [](const auto& log) {
                           std::string name = log.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace epochcast::analysis
