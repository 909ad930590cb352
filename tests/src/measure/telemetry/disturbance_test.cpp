#include "src/measure/telemetry/disturbance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace epochcast::telemetry {
namespace {

using record::EpochUsage;

/// Ten seconds on two CPUs, all of them the run's.
EpochUsage quiet(std::int64_t epoch) {
  EpochUsage row{.epoch = epoch, .duration_s = 10, .covered_s = 10, .cpus = 2, .threads = 2};
  row.own_cpu_s = 19.5;
  row.other_cpu_s = 0.3;
  row.steal_s = 0.1;
  row.memory_stall_s = 0;
  row.stalls_of = "node";
  row.major_faults = 0;
  row.memory_limit_hits = 0;
  return row;
}

std::vector<EpochUsage> run_with(std::size_t epochs, const std::vector<std::int64_t>& disturbed,
                                 const std::function<void(EpochUsage&)>& change) {
  std::vector<EpochUsage> rows;
  for (std::size_t i = 0; i < epochs; ++i) {
    rows.push_back(quiet(static_cast<std::int64_t>(i)));
  }
  for (const auto epoch : disturbed) {
    change(rows.at(static_cast<std::size_t>(epoch)));
  }
  return rows;
}

std::string text_of(const std::vector<EpochUsage>& rows) {
  const auto found = find_disturbance(rows);
  return found ? found->text : "";
}

void by_neighbour(EpochUsage& row) {
  row.other_cpu_s = 12.2;
}

TEST(Disturbance, OfAQuietRunIsNone) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of(run_with(5, {}, {})), "");
}

TEST(Disturbance, NamesCauseAmountAndEpochs) {
  const struct {
    std::function<void(EpochUsage&)> change;
    std::string text;
  } cases[] = {
      {by_neighbour, "another process used 61 % of the 2 CPUs during epochs 2 to 5"},
      {[](auto& row) { row.steal_s = 4; },
       "the hypervisor gave 20 % of the 2 CPUs to others during epochs 2 to 5"},
      {[](auto& row) { row.throttled_s = 10; },
       "the CPU limit of the cgroup kept back 50 % of the 2 CPUs during epochs 2 to 5"},
      {[](auto& row) { row.stopped_s = 1.5; },
       "the process did not run for 6.0 s (stopped, or the machine paused) during epochs 2 to 5"},
      {[](auto& row) {
         row.memory_stall_s = 3;
         row.major_faults = 500;
       },
       "want of memory took 30 % of the time (pages were read back from a disk) during epochs 2 to "
       "5"},
      {[](auto& row) {
         row.memory_stall_s = record::not_measured;
         row.major_faults = 5000;
         row.memory_limit_hits = 1;
       },
       "want of memory took 10 % of the time (pages were read back from a disk) during epochs 2 to "
       "5"},
      {[](auto& row) { row.gpu_other_use = 0.4; },
       "other processes used 40 % of the GPU during epochs 2 to 5"},
      {[](auto& row) { row.gpu_hot_s = 5; },
       "the GPU lowered its clock because of heat or its power supply for 50 % of the time during "
       "epochs 2 to 5"},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(text_of(run_with(8, {1, 2, 3, 4}, expected.change)), expected.text);
  }
}

TEST(Disturbance, NamesSingleEpochsAndGapsAndManyRanges) {
  EXPECT_THAT(text_of(run_with(8, {2}, by_neighbour)), testing::EndsWith("during epoch 3"));
  EXPECT_THAT(text_of(run_with(8, {0, 2, 3, 6}, by_neighbour)),
              testing::EndsWith("during epochs 1, 3 to 4 and 7"));
  EXPECT_THAT(text_of(run_with(20, {0, 2, 4, 6, 8, 10, 12, 14}, by_neighbour)),
              testing::EndsWith("during epochs 1, 3, 5, 7, 9, 11 and 2 more times"));
  EXPECT_THAT(text_of(run_with(1, {0},
                               [](auto& row) {
                                 row.epoch = -1;
                                 by_neighbour(row);
                               })),
              testing::EndsWith("during the run"));
}

TEST(Disturbance, NamesTheProgramThatUsedMost) {
  const auto text_with = [](const char* first, const char* second, double share) {
    auto rows = run_with(8, {1, 2, 3, 4}, by_neighbour);
    rows[1].other_program = first;
    rows[3].other_program = second;
    rows[1].other_program_share = rows[3].other_program_share = share;
    return text_of(rows);
  };
  EXPECT_EQ(text_with("apt-get", "apt-get", 0.9),
            "another process (apt-get) used 61 % of the 2 CPUs during epochs 2 to 5");
  EXPECT_EQ(text_with("cc1plus", "cc1plus", 0.5),
            "other processes (most of all cc1plus) used 61 % of the 2 CPUs during epochs 2 to 5");
  EXPECT_EQ(text_with("b", "a", 0.9),
            "other processes (most of all a) used 61 % of the 2 CPUs during epochs 2 to 5");
  EXPECT_EQ(text_with("", "\x1b[2J\n", 1),
            "another process (\\x1b[2J\\n) used 61 % of the 2 CPUs during epochs 2 to 5");
}

TEST(Disturbance, JoinsTheCauses) {
  const auto text = text_of(run_with(3, {1}, [](auto& row) {
    by_neighbour(row);
    row.stopped_s = 2;
  }));
  EXPECT_THAT(text, testing::HasSubstr("epoch 2; the process did not run"));
}

TEST(Disturbance, OfAnEpochDoesNotCountBelowItsLimit) {
  // 5 % of 20 s of CPU time, and 30 ms a CPU for the ticks
  EXPECT_EQ(text_of(run_with(1, {0}, [](auto& row) { row.other_cpu_s = 1.05; })), "");
  EXPECT_NE(text_of(run_with(1, {0}, [](auto& row) { row.other_cpu_s = 1.07; })), "");
}

TEST(Disturbance, OfARunDoesNotCountIfItIsASmallPartOfIt) {
  EXPECT_EQ(text_of(run_with(100, {50}, by_neighbour)), "");  // 0.6 %
  EXPECT_NE(text_of(run_with(100, {50, 51}, by_neighbour)), "");
}

TEST(Disturbance, OfOthersIsNoneOnCpusThatTheRunDoesNotUse) {
  const auto with_spare = [](double other_s) {
    auto row = quiet(0);
    row.cpus = 8;
    row.threads = 2;
    row.other_cpu_s = other_s;
    return std::vector{row};
  };
  EXPECT_EQ(text_of(with_spare(58)), "");
  EXPECT_THAT(text_of(with_spare(70)),
              testing::StartsWith("another process used 88 % of the 8 CPUs"));
}

/// A record that tells how long the run waited: others used 6 of 10 s of two CPUs.
EpochUsage beside_others(std::int64_t epoch, double wait_s, double duration_s = 10) {
  auto row = quiet(epoch);
  row.duration_s = row.covered_s = duration_s;
  row.other_cpu_s = 12.2;
  row.cpu_wait_s = wait_s;
  return row;
}

TEST(Disturbance, OfOthersIsNoneIfTheRunDidNotWaitForThem) {
  EXPECT_EQ(text_of({beside_others(0, 0.4)}), "");
  EXPECT_NEAR(harmless_use(std::vector{beside_others(0, 0.4)}), 0.61, 1e-9);
  EXPECT_EQ(text_of({beside_others(0, 3.3)}),
            "another process used 61 % of the 2 CPUs and took 33 % of the time during epoch 1");
  EXPECT_EQ(harmless_use(std::vector{beside_others(0, 3.3)}), 0);
  EXPECT_EQ(harmless_use(std::vector{quiet(0)}), 0) << "a record that does not tell it";
}

TEST(Disturbance, OfOthersIsAtMostWhatTheyUsed) {
  auto own = beside_others(0, 8);  // its own threads wait for each other
  own.other_cpu_s = 0.5;
  EXPECT_EQ(text_of({own}), "");
  own.other_cpu_s = 2.06;
  EXPECT_NEAR(taken_share(own, Cause::other_processes).value(), 0.2, 1e-9);
}

TEST(Disturbance, OfOthersIsNoneIfEpochsBesideThemWereNotLonger) {
  const auto run = [](double beside_s, std::size_t quiet_epochs, double first_s = 10) {
    std::vector<EpochUsage> rows{beside_others(0, 3, first_s)};
    for (std::size_t i = 1; i <= quiet_epochs; ++i) {
      rows.push_back(quiet(static_cast<std::int64_t>(i)));
    }
    for (const std::int64_t epoch : {10, 11}) {
      rows.push_back(beside_others(epoch, 2, beside_s));
    }
    return rows;
  };
  EXPECT_EQ(text_of(run(10.5, 3)), "");
  EXPECT_GT(harmless_use(run(10.5, 3)), 0.05);
  EXPECT_THAT(text_of(run(12, 3)), testing::EndsWith("during epochs 11 to 12"));
  EXPECT_THAT(text_of(run(10.5, 3, 14)), testing::EndsWith("during epoch 1"))
      << "perhaps longer by itself, but nothing tells";
  EXPECT_NE(text_of(run(10.5, 2)), "") << "too few quiet epochs to tell";
  auto hypervisor = run(10.5, 3);
  hypervisor[1].steal_s = 4;
  hypervisor.push_back(quiet(12));
  EXPECT_THAT(text_of(hypervisor), testing::StartsWith("the hypervisor"))
      << "the rest still counts";
}

TEST(Disturbance, IsNotJudgedWithoutMeasurements) {
  auto unknown = quiet(0);
  unknown.other_cpu_s = unknown.steal_s = unknown.memory_stall_s = record::not_measured;
  unknown.memory_limit_hits = record::not_measured;
  EXPECT_EQ(text_of({unknown}), "");
  auto short_look = quiet(0);
  by_neighbour(short_look);
  short_look.covered_s = 4;
  EXPECT_EQ(taken_share(short_look, Cause::other_processes), std::nullopt);
  EXPECT_EQ(text_of({short_look}), "");
}

TEST(Disturbance, OfTheNodesMemoryIsNoneForARunThatReadsNoPagesBack) {
  const auto stalled = [](double faults, const char* of) {
    auto row = quiet(0);
    row.memory_stall_s = 3;
    row.major_faults = faults;
    row.stalls_of = of;
    return std::vector{row};
  };
  EXPECT_EQ(text_of(stalled(20, "node")), "");
  EXPECT_NE(text_of(stalled(200, "node")), "");
  EXPECT_NE(text_of(stalled(0, "cgroup")), "");
}

TEST(Disturbance, APagingProcessIsNotCalledStopped) {
  const auto text = text_of(run_with(1, {0}, [](auto& row) {
    row.memory_stall_s = 5;
    row.major_faults = 5000;
    row.stopped_s = 2;
  }));
  EXPECT_THAT(text, testing::HasSubstr("want of memory"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("did not run")));
}

TEST(Disturbance, NamesTheRankIfOnlyOneOfSeveralWasDisturbed) {
  auto rows = run_with(2, {}, {});
  for (const std::int64_t epoch : {0, 1}) {
    auto other = quiet(epoch);
    other.rank = 3;
    by_neighbour(other);
    rows.push_back(other);
  }
  EXPECT_EQ(text_of(rows),
            "another process used 61 % of the 2 CPUs of rank 3 during epochs 1 to 2");
  EXPECT_NEAR(find_disturbance(rows)->lost_share, 0.607, 1e-9);
}

}  // namespace
}  // namespace epochcast::telemetry
