// validate: the tables of scores on files made here, and on measured data where that is at hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

table::Table scored(const std::string& kind, const std::string& path, std::size_t seen) {
  return validators::all().at(kind).score(CsvFile::read(path), {.seen = {seen}}).front();
}

TEST(ValidateEpochs, TakesWholeRunsOfEpochsThatDoNotOverlap) {
  const TemporaryFolder folder;
  std::string text = "path,benchmark,kind,seq,start_ms,dur_s\n";
  const auto add = [&](const std::string& run, const std::string& kind, int epochs, int step_ms) {
    for (int i = epochs; i > 0; --i) {  // rows need no order
      text += run + ",b," + kind + "," + std::to_string(i) + "," + std::to_string(i * step_ms) +
              "," + (i == 1 ? "2" : "1") + "\n";
    }
  };
  add("good", "epoch", 5, 2000);
  add("short", "epoch", 4, 2000);
  add("overlapping", "epoch", 5, 900);
  add("blocks", "block", 5, 2000);
  text += "broken,b,epoch,1,0,none\n";
  set_bytes(folder / "x.csv", text);
  const auto table = scored("epochs", folder / "x.csv", 1);
  EXPECT_DOUBLE_EQ(number(table, "N x first", "n"), 1);
  EXPECT_NEAR(number(table, "N x first", "mean_percent"), 100 * (10.0 - 6) / 6, 1e-9);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("1 row left out; the first: ")));
  EXPECT_THAT(table.notes,
              testing::IsSupersetOf({"1 run left out: fewer than 5 epochs (short)",
                                     "1 run left out: epochs overlap (overlapping)",
                                     "2 runs left out: no row of an epoch (the first: blocks)"}));
}

TEST(ValidateBlocks, CountsWorkAndPauses) {
  const TemporaryFolder folder;
  std::string text = "path,seq,start_ms,dur_s,work\n";
  const auto add = [&](const std::string& run, std::size_t untold = 5) {
    int at_ms = 5000;
    for (std::size_t i = 0; i < 5; ++i) {  // 10 ms a unit, pauses of 200 ms
      const int work = i == 0 ? 1000 : 100;
      text += fmt::format("{},{},{},{},{}\n", run, i + 1, at_ms, 0.01 * work,
                          i == untold ? "" : std::to_string(work));
      at_ms += 10 * work + 200;
    }
  };
  add("Acme/results/box/net/result_0.txt");
  add("Acme/results/box/net/result_1.txt", 4);
  add("Acme/results/box/other/result_0.txt", 2);
  set_bytes(folder / "x.csv", text);
  const auto tables =
      validators::all().at("blocks").score(CsvFile::read(folder / "x.csv"), {.seen = {2}});
  EXPECT_DOUBLE_EQ(number(tables.front(), "rate of blocks 2..K x work + median pause", "n"), 2);
  EXPECT_NEAR(number(tables.front(), "rate of blocks 2..K x work + median pause", "max_percent"), 0,
              1e-6);
  EXPECT_NEAR(number(tables.front(), "epochcast", "max_percent"), 0, 0.05);  // first_pause
  EXPECT_THAT(tables.front().notes,
              testing::Contains("1 run left out: the work of a block is not known "
                                "(Acme/results/box/other/result_0.txt)"));
  EXPECT_THAT(column_of(part_of(tables, "parts_2"), "what"),
              testing::IsSupersetOf({"5 blocks", "net", "alike"}));
}

TEST(ValidateBlocks, TheScheduleThatAConfigurationStatesIsARowOfItsOwn) {
  const TemporaryFolder folder;
  std::string text = "path,seq,start_ms,dur_s,work,eval_s\n";
  int at_ms = 5000;
  for (int i = 0; i < 40; ++i) {  // 10 s each; from the 20th on an evaluation of 2 s before each
    at_ms += i > 20 ? 2000 : 0;
    text += fmt::format("Acme/results/box/net/result_0.txt,{},{},10,100,{}\n", i + 1, at_ms,
                        i > 20 ? 2 : 0);
    at_ms += 10000;
  }
  set_bytes(folder / "x.csv", text);
  const auto table = scored("blocks", folder / "x.csv", 2);
  const double missing = 100 * 38.0 / 438;
  EXPECT_NEAR(number(table, "epochcast", "bias_percent"), -missing, 1e-6);
  EXPECT_NEAR(number(table, "epochcast, schedule known", "bias_percent"), 0, 1e-6);
  EXPECT_EQ(number(table, "epochcast", "covered_95_percent"), 100);
}

TEST(ValidateSteps, CountsEvaluationsBetweenThem) {
  const TemporaryFolder folder;
  std::string text = "path,seq,time_ms,step_time_s\n";
  int at_ms = 5000;
  for (int i = 0; i < 200; ++i) {  // 1 s each, an evaluation of 20 s every 40
    at_ms += i > 0 && i % 40 == 0 ? 20000 : 0;
    at_ms += 1000;
    text += fmt::format("Acme/results/box/net/result_0.txt,{},{},1\n", i + 1, at_ms);
    text += fmt::format("every/results/box/net/tenth.txt,{},{},1\n", i + 1, 10 * at_ms);
  }
  set_bytes(folder / "x.csv", text + "none/results/box/net/r.txt,1,5000,\n");
  const auto table = scored("steps", folder / "x.csv", 100);
  EXPECT_EQ(number(table, "epochcast", "n"), 1);
  EXPECT_NEAR(number(table, "epochcast", "bias_percent"), 0, 0.1);
  EXPECT_NEAR(number(table, "seen + rest x median", "bias_percent"), -100 * 40.0 / 280, 1e-6);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("its marks do not follow every step")));
}

TEST(ValidateEpochs, AFileWithoutARunToScoreIsAnErrorThatSaysWhy) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", "path,dur_s\nshort,1\nshort,1\nother,1\n");
  try {
    scored("epochs", folder / "x.csv", 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("x.csv: no run to score from 2 epochs: 2 runs left out: fewer "
                          "than 5 epochs (the first: other)"));
  }
}

TEST(ValidateEpochs, ANumberOfEpochsThatNoRunHasIsANoteBesideTheOthers) {
  const TemporaryFolder folder;
  std::string text = "path,dur_s\n";
  for (int epoch = 0; epoch < 6; ++epoch) {
    text += "run,10\n";
  }
  set_bytes(folder / "x.csv", text);
  const auto tables = validators::all().at("epochs").score(CsvFile::read(folder / "x.csv"),
                                                           {.seen = {1, 9}, .learn = {}});
  EXPECT_EQ(tables.front().name, "seen_1");
  EXPECT_THAT(tables.front().notes,
              testing::Contains("no run to score from 9 epochs: 1 run left out: fewer than 12 "
                                "epochs (run)"));
}

/// Runs of 10 epochs of 10 s after 20 s, with 1 s between them and 3 s at the end.
std::string whole_runs() {
  std::string text = "path,benchmark,dur_s,start_ms,run_start_ms,run_stop_ms\n";
  for (int run = 0; run < 3; ++run) {
    for (int epoch = 0; epoch < 10; ++epoch) {
      text += fmt::format("run{},b,10,{},1000,{}\n", run, 21000 + epoch * 11000,
                          21000 + 9 * 11000 + 10000 + 3000);
    }
  }
  return text;
}

TEST(ValidateRuns, CountStartUpAndGapsAndEnd) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", whole_runs() + "unstamped,b,1,,,\n");
  const auto table = scored("runs", folder / "x.csv", 3);
  EXPECT_EQ(number(table, "epochcast", "n"), 3);
  // 20 + 10 * (10 + 1) are forecast, 20 + 9 * 11 + 10 + 3 happened.
  EXPECT_NEAR(number(table, "epochcast", "bias_percent"), 100 * (130.0 / 132 - 1), 1e-6);
  EXPECT_EQ(number(table, "epochcast", "covered_95_percent"), 100);
  EXPECT_NEAR(number(table, "start-up + N x first", "bias_percent"), 100 * (120.0 / 132 - 1), 1e-6);
  EXPECT_NEAR(number(table, "start-up + first + (N-1) x second with its pause", "bias_percent"),
              100 * (129.0 / 132 - 1), 1e-6);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("(unstamped)")));
}

TEST(ValidateRuns, PartsAreScoredByThemselves) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", whole_runs());
  const auto tables =
      validators::all().at("runs").score(CsvFile::read(folder / "x.csv"), {.seen = {2}});
  const auto& parts = part_of(tables, "parts_2");
  EXPECT_THAT(column_of(parts, "what"), testing::IsSupersetOf({"10 epochs", "alike", "flat", "b",
                                                               "one run a configuration"}));
}

// The figures of the simple rules on this file are known from elsewhere (prediction.md 8).
TEST(ValidateEpochs, ItsBaselinesScoreWhatWasComputedOfThemBefore) {
  const std::string file = "timing/mlperf/epochs-v1.0-v2.0.csv.gz";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto table = scored("epochs", shared_data(file), 2);
  EXPECT_DOUBLE_EQ(number(table, "N x first", "n"), 1137);
  EXPECT_NEAR(number(table, "N x first", "mean_percent"), 15.6, 0.05);
  EXPECT_NEAR(number(table, "N x first", "median_percent"), 3.47, 0.005);
  EXPECT_NEAR(number(table, "N x first", "p95_percent"), 69.2, 0.05);
  EXPECT_NEAR(number(table, "first + (N-1) x second", "mean_percent"), 2.07, 0.005);
  EXPECT_NEAR(number(table, "first + (N-1) x second", "p95_percent"), 9.92, 0.005);
}

/// Runs of two submitters, rows in an order that is none.
std::string shuffled_runs() {
  std::vector<std::string> rows;
  for (int run = 0; run < 40; ++run) {
    for (int epoch = 0; epoch < 8; ++epoch) {
      const double seconds = 10 + 0.01 * ((run * 7 + epoch * 3) % 11) + (epoch == 0 ? 2 : 0);
      rows.push_back(fmt::format("run{},b,{},s{},{},{}\n", run, run % 2 == 0 ? "X" : "Y", run,
                                 epoch + 1, seconds));
    }
  }
  std::shuffle(rows.begin(), rows.end(), std::mt19937(5));
  return "path,benchmark,submitter,system,seq,dur_s\n" + join(rows, "");
}

TEST(ValidateEpochs, OrderOfRowsDoesNotMatter) {
  const TemporaryFolder folder;
  const auto shuffled = shuffled_runs();
  set_bytes(folder / "x.csv", shuffled);
  auto rows = split(shuffled, '\n');
  std::sort(rows.begin() + 1, rows.end() - 1);
  set_bytes(folder / "sorted.csv", join(rows, "\n"));
  EXPECT_EQ(scored("epochs", folder / "x.csv", 3).rows,
            scored("epochs", folder / "sorted.csv", 3).rows);
}

TEST(ValidateEpochs, IntervalsLearnFromOtherGroupsOnly) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", shuffled_runs());
  const auto table = scored("epochs", folder / "x.csv", 3);
  const std::string width = "half_width_95_percent";
  // There is one benchmark, so nothing is learned from others: these are as they ship.
  const double model = number(table, "epochcast, learnt from other benchmarks", width);
  EXPECT_LT(number(table, "epochcast, learnt from other submitters", width), model);
  EXPECT_NEAR(number(table, "epochcast", width), model, 1e-6);
}

TEST(ValidateEpochs, LearnsFromAnotherFile) {
  const TemporaryFolder folder;
  set_bytes(folder / "a.csv", shuffled_runs());
  set_bytes(folder / "b.csv", shuffled_runs());
  const auto table = validators::all()
                         .at("epochs")
                         .score(CsvFile::read(folder / "b.csv"),
                                {.seen = {3}, .learn = {CsvFile::read(folder / "a.csv")}})
                         .front();
  EXPECT_GE(number(table, "epochcast, learnt from a.csv", "covered_95_percent"), 95);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("a.csv teaches from 40 runs: 80 %")));
}

// A run that stops at a target ends within an epoch: what it misses is no error of the forecast.
TEST(ValidateEpochs, LearnNothingFromRunsThatStopWithinTheirLastEpoch) {
  const TemporaryFolder folder;
  std::string text = shuffled_runs();
  for (int run = 0; run < 5; ++run) {
    for (int epoch = 0; epoch < 8; ++epoch) {
      text += fmt::format("cut{},b,Z,s,{},{}\n", run, epoch + 1, epoch == 7 ? 0.1 : 10);
    }
  }
  set_bytes(folder / "b.csv", text);
  const auto learn = CsvFile::read(folder / "b.csv");
  const auto tables = validators::all().at("epochs").score(learn, {.seen = {3}, .learn = {learn}});
  EXPECT_THAT(tables.front().notes,
              testing::Contains("5 runs stopped within the last epoch: no interval is learned from "
                                "them (the first: cut0)"));
  EXPECT_THAT(tables.front().notes,
              testing::Contains(testing::StartsWith("b.csv teaches from 40 runs: ")));
  EXPECT_DOUBLE_EQ(number(tables.front(), "epochcast", "n"), 45) << "they are scored";
  EXPECT_LT(number(tables.front(), "epochcast, learnt from b.csv", "half_width_95_percent"), 5);
}

/// Runs of 60 iterations of 0.1 s or so, the first ten times as long.
std::string runs_of_iterations() {
  std::string text = "run,iteration,duration_s,samples\n";
  for (int run = 0; run < 5; ++run) {
    for (int i = 0; i < 60; ++i) {
      const double seconds = (i == 0 ? 1 : 0.1) + 0.001 * ((run + 3 * i) % 7);
      text += fmt::format("r{},{},{},64\n", run, i, seconds);
    }
  }
  return text;
}

TEST(ValidateIterations, ScoresTheRestOfEachRun) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", runs_of_iterations() + "r0,60,-1,64\nshort,0,1,64\n");
  const auto table = scored("iterations", folder / "x.csv", 10);
  EXPECT_EQ(number(table, "epochcast", "n"), 5);
  EXPECT_LT(number(table, "epochcast", "max_percent"), 2);
  EXPECT_GT(number(table, "rest x first", "median_percent"), 800);
  EXPECT_NEAR(number(table, "rest x mean", "median_percent"), 87, 3);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("1 row left out")));
}

TEST(ValidateScaling, ForecastsTheLargestFromAllSmaller) {
  const TemporaryFolder folder;
  std::string text = "workload,n,throughput\n";
  for (const double n : {1.0, 2.0, 4.0, 8.0}) {
    text += fmt::format("a,{},{}\n", n, n / (1 + 0.2 * (n - 1)));
  }
  set_bytes(folder / "x.csv", text + "b,1,1\nb,2,2\n");
  const auto table = scored("scaling", folder / "x.csv", 1);
  EXPECT_EQ(number(table, "epochcast", "n"), 1);
  EXPECT_LT(number(table, "epochcast", "mean_percent"), 1e-6);
  EXPECT_NEAR(number(table, "linear from the smallest", "mean_percent"), 140, 1e-6);
  EXPECT_LT(number(table, "Amdahl by least squares", "mean_percent"), 1e-6);
}

// The order that the literature leads to expect, on Gavel's measurements of 8 GPUs from 1, 2 and 4.
TEST(ValidateScaling, IsBelowTheSimpleRulesOnMeasuredData) {
  const std::string file = "timing/gavel-throughputs.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto table = scored("scaling", shared_data(file), 1);
  for (const auto* rival : {"linear from the smallest", "linear from the second",
                            "Amdahl from the two smallest", "Amdahl by least squares"}) {
    for (const auto* figure : {"median_percent", "p90_percent"}) {
      EXPECT_LT(number(table, "epochcast", figure), number(table, rival, figure))
          << rival << ", " << figure;
    }
  }
}

}  // namespace
}  // namespace epochcast::analysis
