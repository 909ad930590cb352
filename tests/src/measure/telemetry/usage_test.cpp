#include "src/measure/telemetry/usage.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::telemetry {
namespace {

record::Telemetry sample(double end_s, double duration_s, double own_s, double busy_s,
                         std::int64_t rank = 0) {
  return {.rank = rank,
          .end_s = end_s,
          .duration_s = duration_s,
          .cpus = 2,
          .own_cpu_s = own_s,
          .cpus_busy_s = busy_s,
          .cpus_steal_s = 0,
          .node_cpus = 4,
          .node_busy_s = busy_s + 0.5,
          .resident_bytes = 100 * end_s,
          .major_faults = 1};
}

record::Machine machine(std::int64_t rank, const char* boot, const char* cpus) {
  record::Machine row;
  row.rank = rank;
  row.boot_id = boot;
  row.cpus_allowed = cpus;
  row.threads_used = 2;
  return row;
}

TEST(Usage, TakesOfASampleAtTheEdgeItsShareByTime) {
  const std::vector samples{sample(1, 1, 2, 2), sample(2, 1, 1, 2), sample(4, 2, 0, 4)};
  const std::vector machines{machine(0, "a", "0-1")};
  const auto rows = usage_of({3, 0.5, 2.5}, machines, samples, {});
  ASSERT_EQ(rows.size(), 1u);
  const auto& row = rows[0];
  EXPECT_EQ(row.epoch, 3);
  EXPECT_DOUBLE_EQ(row.duration_s, 2);
  EXPECT_DOUBLE_EQ(row.covered_s, 2);
  EXPECT_EQ(row.cpus, 2);
  EXPECT_EQ(row.threads, 2);
  EXPECT_DOUBLE_EQ(row.own_cpu_s, 1 + 1 + 0);
  EXPECT_DOUBLE_EQ(row.other_cpu_s, (1 + 2 + 1) - 2);
  EXPECT_DOUBLE_EQ(row.major_faults, 0.5 + 1 + 0.25);
  EXPECT_DOUBLE_EQ(row.resident_bytes, 400);
  EXPECT_NEAR(row.node_use, (4 + 0.25 + 0.5 + 0.125) / (2 * 4), 1e-9);
  EXPECT_TRUE(std::isnan(row.throttled_s));
  EXPECT_TRUE(std::isnan(row.gpu_use));
  EXPECT_TRUE(std::isnan(row.cpu_energy_j));
}

TEST(Usage, HasTheProgramThatTheLooksNamedMost) {
  std::vector samples{sample(1, 1, 1, 2), sample(2, 1, 1, 2), sample(3, 1, 1, 2),
                      sample(4, 1, 1, 2)};
  samples[0].other_program = "apt-get";
  samples[0].other_program_share = 0.9;
  samples[2].other_program = "dpkg";
  samples[2].other_program_share = 0.7;
  const auto all = usage_of({0, 0, 4}, {}, samples, {}).at(0);
  EXPECT_EQ(all.other_program.view(), "apt-get");
  EXPECT_DOUBLE_EQ(all.other_program_share, 0.45);
  const auto unnamed = usage_of({0, 1, 2}, {}, samples, {}).at(0);
  EXPECT_EQ(unnamed.other_program.view(), "");
  EXPECT_TRUE(std::isnan(unnamed.other_program_share));
}

TEST(Usage, OfTwoPartsIsThatOfTheWhole) {
  const std::vector samples{sample(1, 1, 2, 2), sample(2, 1, 1, 2), sample(4, 2, 0, 4)};
  const std::vector machines{machine(0, "a", "0-1")};
  const auto whole = usage_of({3, 0, 4}, machines, samples, {}).at(0);
  const auto both = joined(usage_of({3, 0, 1.5}, machines, samples, {}).at(0),
                           usage_of({3, 1.5, 4}, machines, samples, {}).at(0));
  for_each_field<record::EpochUsage>([&](const auto& field) {
    if constexpr (std::is_same_v<decltype(both.*field.member), const double&>) {
      const double expected = whole.*field.member;
      const double found = both.*field.member;
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(found) : std::abs(found - expected) < 1e-9)
          << field.name << ": " << found << ", not " << expected;
    }
  });
  EXPECT_EQ(both.epoch, 3);
  EXPECT_EQ(both.cpus, 2);
}

TEST(Usage, HasTheWaitOfTheRankThatWaitedLongest) {
  std::vector<record::Telemetry> samples;
  for (const auto& [rank, end_s, waited_s] :
       {std::tuple{0, 1.0, 0.2}, {0, 2.0, 0.4}, {1, 1.0, 0.5}, {1, 2.0, 0.5}}) {
    samples.push_back(sample(end_s, 1, 1, 1, rank));
    samples.back().cpu_wait_s = waited_s;
  }
  const std::vector machines{machine(0, "a", "0-1"), machine(1, "a", "0-1")};
  const auto wait_s = [&] { return usage_of({0, 0, 2}, machines, samples, {}).at(0).cpu_wait_s; };
  EXPECT_NEAR(wait_s(), 1, 1e-9);
  samples[3].cpu_wait_s = record::not_measured;  // its program has ended
  EXPECT_NEAR(wait_s(), 1, 1e-9);
  for (auto& sample : samples) {
    sample.cpu_wait_s = record::not_measured;
  }
  EXPECT_TRUE(std::isnan(wait_s()));
}

TEST(Usage, OfTwoPartsHasTheRateOfTheLongerOneWhereOneDoesNotTellIt) {
  record::EpochUsage longer{.covered_s = 3};
  longer.cpu_wait_s = 0.6;
  record::EpochUsage shorter{.covered_s = 1};
  EXPECT_NEAR(joined(longer, shorter).cpu_wait_s, 0.8, 1e-9);
  shorter.cpu_wait_s = 1;
  EXPECT_NEAR(joined(longer, shorter).cpu_wait_s, 1.6, 1e-9);
  longer.cpu_wait_s = record::not_measured;
  EXPECT_TRUE(std::isnan(joined(longer, shorter).cpu_wait_s));
}

TEST(Usage, OfTwoPartsNamesTheProgramThatTookMoreInBoth) {
  const auto part = [](const char* program, double share, double other_cpu_s) {
    record::EpochUsage usage{.covered_s = 1, .other_cpu_s = other_cpu_s};
    usage.other_program = program;
    usage.other_program_share = share;
    return usage;
  };
  const auto both = joined(part("apt-get", 0.5, 3), part("dpkg", 1, 1));
  EXPECT_EQ(both.other_program.view(), "apt-get");
  EXPECT_DOUBLE_EQ(both.other_program_share, 1.5 / 4);
  const auto one = joined(part("", std::nan(""), 3), part("dpkg", 1, 1));
  EXPECT_EQ(one.other_program.view(), "dpkg");
  EXPECT_DOUBLE_EQ(one.other_program_share, 1);
}

TEST(Usage, IsNoneWithoutSamplesAndSaysHowMuchIsCovered) {
  const std::vector samples{sample(1, 1, 1, 1)};
  EXPECT_TRUE(usage_of({0, 5, 6}, {}, samples, {}).empty());
  EXPECT_DOUBLE_EQ(usage_of({0, 0.5, 6}, {}, samples, {}).at(0).covered_s, 0.5);
}

TEST(Usage, OfRanksOnTheSameCpusDoesNotTakeOneForTheOthersNeighbour) {
  const std::vector samples{sample(1, 1, 1.0, 1.9, 0), sample(1, 1, 0.9, 1.9, 1),
                            sample(1, 1, 1.5, 1.6, 2), sample(1, 1, 0.5, 1.6, 3)};
  const std::vector machines{machine(0, "a", "0-1"), machine(1, "a", "0-1"), machine(2, "a", "2-3"),
                             machine(3, "b", "0-1")};
  const auto rows = usage_of({0, 0, 1}, machines, samples, {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].rank, 0);
  EXPECT_EQ(rows[0].threads, 4);
  EXPECT_NEAR(rows[0].other_cpu_s, 0, 1e-9);
  EXPECT_EQ(rows[1].rank, 2);
  EXPECT_NEAR(rows[1].other_cpu_s, 0.1, 1e-9);
  EXPECT_EQ(rows[2].rank, 3);
  EXPECT_NEAR(rows[2].other_cpu_s, 1.1, 1e-9);
}

TEST(Usage, CountsTheEnergyOfANodeOnce) {
  std::vector samples{sample(1, 1, 1, 1, 0), sample(1, 1, 1, 1, 1), sample(1, 1, 1, 1, 2)};
  for (auto& row : samples) {
    row.package_energy_j = 50;
  }
  samples[0].dram_energy_j = 5;
  const std::vector machines{machine(0, "a", "0"), machine(1, "a", "1"), machine(2, "b", "0")};
  const auto rows = usage_of({0, 0, 1}, machines, samples, {});
  EXPECT_DOUBLE_EQ(rows[0].cpu_energy_j, 55);
  EXPECT_TRUE(std::isnan(rows[1].cpu_energy_j));
  EXPECT_DOUBLE_EQ(rows[2].cpu_energy_j, 50);
}

TEST(Usage, AddsUpGpusAndCountsASharedOneOnce) {
  const std::vector samples{sample(2, 2, 1, 1, 0), sample(2, 2, 1, 1, 1)};
  const std::vector machines{machine(0, "a", "0-1"), machine(1, "a", "0-1")};
  std::vector<record::GpuTelemetry> gpus(4);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    auto& row = gpus[i];
    row.rank = i < 2 ? 0 : 1;
    row.end_s = 1 + static_cast<double>(i % 2);
    row.duration_s = 1;
    row.uuid = "GPU-1";
    row.use = i % 2 == 0 ? 0.5 : 1;
    row.energy_j = 100;
    row.other_use = 0;
    row.throttle_reasons = i % 2 == 0 ? 0x4 : 0x20;  // power limit as set; then heat
  }
  const auto row = usage_of({0, 0, 2}, machines, samples, gpus).at(0);
  EXPECT_DOUBLE_EQ(row.gpu_energy_j, 200);
  EXPECT_DOUBLE_EQ(row.gpu_use, 0.75);
  EXPECT_DOUBLE_EQ(row.gpu_hot_s, 1);
}

}  // namespace
}  // namespace epochcast::telemetry
