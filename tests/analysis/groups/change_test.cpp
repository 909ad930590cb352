#include "analysis/groups/change.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>

#include "src/base/core/csv_file.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

using Series = std::vector<double>;

/// A simulated series of steps of 0.1 s with independent noise.
Series simulated_series(std::mt19937_64& random, double slowdown, double noise, int steps) {
  std::normal_distribution<double> error(0, noise);
  Series times;
  for (int i = 0; i < steps; ++i) {
    times.push_back(0.1 * (1 + slowdown) * std::exp(error(random)));
  }
  return times;
}

/// How many of 200 pairs of simulated series are found slower, and how many faster, in %.
std::pair<double, double> found(double slowdown, double noise, std::size_t runs, int steps) {
  std::mt19937_64 random(20261127);
  int slower = 0;
  int faster = 0;
  for (int pair = 0; pair < 200; ++pair) {
    std::vector<RunLevel> base;
    std::vector<RunLevel> changed;
    for (std::size_t run = 0; run < runs; ++run) {
      base.push_back(run_level(simulated_series(random, 0, noise, steps)).value());
      changed.push_back(run_level(simulated_series(random, slowdown, noise, steps)).value());
    }
    const auto change = change_between(base, changed);
    slower += change.low_95 > 0 ? 1 : 0;
    faster += change.high_95 < 0 ? 1 : 0;
  }
  return {slower / 2.0, faster / 2.0};
}

TEST(Change, FindsSlowdownsOfSimulatedSeriesAndRaisesFewFalseAlarms) {
  fmt::print(
      "found slower, % of 200 pairs of simulated series of 200 steps (false alarms: both signs)\n");
  fmt::print("{:>6} {:>6} {:>13} {:>6} {:>6} {:>6}\n", "noise", "runs", "false alarms", "1 %",
             "3 %", "10 %");
  for (const double noise : {0.005, 0.01, 0.02, 0.05}) {
    for (const std::size_t runs : {1, 2, 4}) {
      const auto [slower, faster] = found(0, noise, runs, 200);
      const auto one = found(0.01, noise, runs, 200).first;
      const auto three = found(0.03, noise, runs, 200).first;
      const auto ten = found(0.10, noise, runs, 200).first;
      fmt::print("{:>5}% {:>6} {:>13} {:>6} {:>6} {:>6}\n", 100 * noise, runs, slower + faster, one,
                 three, ten);
      EXPECT_LE(slower + faster, 5) << noise << " " << runs;
      EXPECT_EQ(ten, 100) << noise << " " << runs;
      EXPECT_GE(three, noise > 0.02 ? 80 : 95) << noise << " " << runs;
    }
  }
}

TEST(Change, OfFewEpochsItDoesNotAlarmMoreOften) {
  for (const int epochs : {2, 3, 5, 10}) {
    const auto [slower, faster] = found(0, 0.05, 1, epochs);
    EXPECT_LE(slower + faster, 5) << epochs;
  }
}

/// An epoch by its start, in ms.
using Epochs = std::map<double, double>;

/// Whether one begins before the one before it has ended; stamps are rounded.
bool overlap(const Epochs& epochs) {
  for (auto next = std::next(epochs.begin()); next != epochs.end(); ++next) {
    const auto& [start_ms, seconds] = *std::prev(next);
    if (next->first < start_ms + 1000 * seconds - 2) {
      return true;
    }
  }
  return false;
}

/// Round -> system and benchmark -> repeats: runs whose epochs are passes over data, one after
/// another.
std::map<std::string, std::map<std::string, std::vector<RunLevel>>> measured_rounds(
    const CsvFile& file) {
  std::map<std::pair<std::string, std::string>, std::pair<std::string, Epochs>> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto text = [&](const char* column) { return file.text(row, column); };
    if (text("kind") == "epoch" && text("benchmark") != "minigo") {
      auto& [name, epochs] = runs[{text("repo"), text("path")}];
      name = to_lower(text("submitter")) + "/" + to_lower(text("system")) + text("benchmark");
      epochs[file.number(row, "start_ms").value()] = file.number(row, "dur_s").value();
    }
  }
  std::map<std::string, std::map<std::string, std::vector<RunLevel>>> rounds;
  for (const auto& [key, run] : runs) {
    const auto& [name, epochs] = run;
    if (epochs.size() >= 5 && !overlap(epochs)) {
      // without the first, which has the warm-up, and the last, which may end early
      Series middle;
      std::transform(std::next(epochs.begin()), std::prev(epochs.end()), std::back_inserter(middle),
                     [](const auto& epoch) { return epoch.second; });
      rounds[key.first][name].push_back(run_level(middle).value());
    }
  }
  return rounds;
}

/// Real runs of one system are repeats of the same work: of their pairs, at most one in twenty may
/// be found different. Constants were chosen on v1.0; v2.0 is scored.
TEST(Change, RepeatsOfRealRunsAreSeldomFoundDifferent) {
  const std::string file = "timing/mlperf/epochs-v1.0-v2.0.csv.gz";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  for (const auto& [round, systems] : measured_rounds(CsvFile::read(shared_data(file)))) {
    for (const std::size_t runs : {1, 2}) {
      double alarms = 0;
      std::size_t of = 0;
      for (const auto& [system, levels] : systems) {
        double own = 0;
        std::size_t pairs = 0;
        for (std::size_t i = 0; i + 2 * runs <= levels.size(); ++i) {
          const auto at = levels.begin() + static_cast<std::ptrdiff_t>(i);
          const auto middle = at + static_cast<std::ptrdiff_t>(runs);
          const auto change =
              change_between({at, middle}, {middle, middle + static_cast<std::ptrdiff_t>(runs)});
          own += change.low_95 > 0 || change.high_95 < 0 ? 1 : 0;
          ++pairs;
        }
        if (pairs > 0) {
          alarms += own / static_cast<double>(pairs);
          ++of;
        }
      }
      fmt::print("{}, {} runs a side: {:.1f} % of repeats found different ({} systems)\n", round,
                 runs, 100 * alarms / static_cast<double>(of), of);
      EXPECT_GT(of, 50U);
      EXPECT_LE(alarms / static_cast<double>(of), 0.05) << round << " " << runs;
    }
  }
}

TEST(Change, SaysHowManyFurtherRunsDecide) {
  const RunLevel base{.log_s = 0, .variance = 0, .times = 100};
  const RunLevel slower{.log_s = 0.006, .variance = 0, .times = 100};
  const auto one = change_between({base}, {slower});
  EXPECT_EQ(one.verdict(), "not decided");
  ASSERT_TRUE(one.further_runs.has_value());
  const auto runs = 1 + *one.further_runs / 2;
  const auto more = change_between(std::vector(runs, base), std::vector(runs, slower));
  EXPECT_EQ(more.verdict(), "slower");
  EXPECT_EQ(more.further_runs, 0U);
  EXPECT_EQ(change_between(std::vector(6, base), std::vector(6, base)).verdict(),
            "same within 1 %");
}

TEST(Change, OneTimeSaysNothing) {
  EXPECT_FALSE(run_level({1.0}).has_value());
  EXPECT_FALSE(run_level({}).has_value());
}

}  // namespace
}  // namespace epochcast::analysis
