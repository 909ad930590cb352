#include "src/measure/attempt/telemetry.hpp"

#include <gtest/gtest.h>

#include "src/record/reader.hpp"
#include "tests/files.hpp"

namespace epochcast::attempt {
namespace {

/// Samples of another rank, a second each, of which each used half a CPU.
std::vector<record::Telemetry> samples(int first, int count) {
  std::vector<record::Telemetry> rows;
  for (int i = first; i < first + count; ++i) {
    rows.push_back({.end_s = i + 1.0,
                    .duration_s = 1,
                    .cpus = 2,
                    .own_cpu_s = 0.5,
                    .cpus_busy_s = 0.5,
                    .node_cpus = 2,
                    .node_busy_s = 0.5});
  }
  return rows;
}

TEST(AttemptTelemetry, ALongEpochHasTheUsageOfAllItsSamplesThoughFewAreKept) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  {
    record::RecordWriter record(path, record::Record{});
    TelemetryRecorder telemetry({}, 0, {record::Machine{}});
    for (int i = 0; i < 50; ++i) {
      telemetry.add(samples(100 * i, 100), {});
      telemetry.write(record, {});
    }
    telemetry.write(record, {{.epoch = 0, .wall_s = 4500}});
    telemetry.finish(record, 0, 5000);
    record.finish(run::Outcome::complete, "");
  }
  const auto rows = record::read_record(path).usage;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].epoch, 0);
  EXPECT_DOUBLE_EQ(rows[0].duration_s, 4500);
  EXPECT_NEAR(rows[0].own_cpu_s, 2250, 1);
}

}  // namespace
}  // namespace epochcast::attempt
