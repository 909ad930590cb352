#include "src/training/loop/telemetry_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <thread>

#include "src/base/core/clock.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"

namespace epochcast::train {
namespace {

using testing::SizeIs;

/// Rank 0 of two; the other sends what the test says.
class RankZeroOfTwo final : public Team {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 2; }
  std::int64_t agree(std::int64_t request) override { return request; }
  std::vector<double> sum(const std::vector<double>& values) override { return values; }
  std::vector<std::string> gather(const std::string& bytes) override {
    std::string other;
    if (!others.empty()) {
      other = others.front();
      others.pop_front();
    }
    return {bytes, other};
  }
  std::string broadcast(const std::string& text) override { return text; }

  std::deque<std::string> others;
};

template <class Row>
std::string packed(const Row& row) {
  return {reinterpret_cast<const char*>(&row), sizeof(row)};
}

void pause(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

class TelemetryLogTest : public testing::Test {
 protected:
  record::Record written(Team& team, const std::function<void(TelemetryLog&)>& run) {
    const auto path = folder_ / "a.h5";
    record::Record start;
    {
      record::RecordWriter writer(path, start);
      TelemetryLog log({.cpus = process::allowed_cpus()}, 0.05, machines_, team, writer);
      run(log);
      writer.finish(run::Outcome::complete, "");
    }
    EXPECT_TRUE(record::verify_record(path).consistent) << record::verify_record(path).text;
    return record::read_record(path);
  }

  TemporaryFolder folder_;
  std::vector<record::Machine> machines_{record::Machine{.rank = 0, .boot_id = "a"}};
  SteadyClock clock_;
};

TEST_F(TelemetryLogTest, EveryEpochHasItsUsageAlsoShortOnes) {
  TeamOfOne team;
  const auto record = written(team, [&](TelemetryLog& log) {
    for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
      const double start_s = clock_.now_s();
      log.epoch_begins(epoch);
      pause(epoch == 1 ? 0.01 : 0.3);
      log.epoch_recorded({.epoch = epoch, .start_s = start_s}, clock_.now_s());
    }
    log.run_ends();
  });
  ASSERT_THAT(record.usage, SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(record.usage[i].epoch, static_cast<std::int64_t>(i));
    EXPECT_NEAR(record.usage[i].covered_s, record.usage[i].duration_s, 1e-6);
  }
  EXPECT_GE(record.telemetry.size(), 4u);
  EXPECT_GE(record.telemetry_cpus.size(), 4u);
}

TEST_F(TelemetryLogTest, TheSamplesOfOtherRanksAreInTheRecordToo) {
  RankZeroOfTwo team;
  record::Machine other{.rank = 1};
  other.boot_id = "b";
  machines_.push_back(other);
  const auto record = written(team, [&](TelemetryLog& log) {
    const double start_s = clock_.now_s();
    log.epoch_begins(0);
    pause(0.3);
    const double end_s = clock_.now_s();
    record::Telemetry sample{
        .rank = 1, .end_s = end_s + 1, .duration_s = end_s + 1 - start_s, .cpus = 3};
    sample.own_cpu_s = 0.5;
    record::CpuTelemetry cpu{.rank = 1, .end_s = end_s + 1, .duration_s = 1, .cpu = 7};
    team.others = {packed(sample), packed(cpu), ""};
    log.epoch_recorded({.epoch = 0, .start_s = start_s}, end_s);
    log.run_ends();
  });
  ASSERT_THAT(record.usage, SizeIs(2));
  EXPECT_EQ(record.usage[1].rank, 1);
  EXPECT_EQ(record.usage[1].cpus, 3);
  EXPECT_EQ(std::ranges::count(record.telemetry, 1, &record::Telemetry::rank), 1);
  EXPECT_EQ(std::ranges::count(record.telemetry_cpus, 1, &record::CpuTelemetry::rank), 1);
}

}  // namespace
}  // namespace epochcast::train
