#include "src/runner/progress_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"
#include "tests/src/measure/progress/sources/shown.hpp"

namespace epochcast::runner {
namespace {

using progress::sources::shown;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProgressFiles, WithoutPathsHaveNothing) {
  ProgressFiles files("", "", {});
  EXPECT_THAT(files.read(1), IsEmpty());
  EXPECT_THAT(files.finish(1), IsEmpty());
  EXPECT_THAT(files.remarks(), IsEmpty());
}

TEST(ProgressFiles, OfMetricsTellOnlyMetricsOnceThereAreEvents) {
  const TemporaryFolder folder;
  ProgressFiles files(folder / "events", folder / "log.csv", {});
  set_bytes(folder / "log.csv", "epoch,loss\n0,0.5\n");
  const auto before = files.read(1);
  EXPECT_EQ(files.source(), "metrics");
  ASSERT_EQ(before.size(), 2U);
  EXPECT_TRUE(before[1].reading.ends_epoch);

  std::ofstream(folder / "events") << R"({"event":"epoch_end","epoch":1})"
                                   << "\n";
  std::ofstream(folder / "log.csv", std::ios::app) << "1,0.25\n";
  const auto after = files.finish(2);
  EXPECT_EQ(files.source(), "events");
  EXPECT_THAT(shown(after), ElementsAre("2 end 1", "2 1 loss=0.25"));
}

/// Runs a shell script by epochcast-run in an empty folder, and reads the record.
record::Record recorded(const std::string& script, std::vector<std::string> options) {
  const TemporaryFolder folder;
  std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-run",
                                 "--records=" + folder.path(), "--work=" + folder / "work",
                                 "--folder=" + folder.path(), "--point=p"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "sh", "-c", script});
  const auto result = process::run_command(words, 60, {{"EPOCHCAST_JOB_ID", "1"}});
  EXPECT_TRUE(result.ok()) << result.err;
  return record::read_record(folder / "p-1.h5");
}

TEST(ProgressFiles, EventsOfTheProgramAreInTheRecord) {
  const auto record = recorded(R"(event() { echo "{\"event\":\"$1\",$2}" >> "$EPOCHCAST_EVENTS"; }
event train_begin '"epochs":2'
echo 'half a line' >> "$EPOCHCAST_EVENTS"
for epoch in 0 1; do
  event epoch_begin '"epoch":'$epoch
  sleep 0.3
  event epoch_end '"epoch":'$epoch',"samples":7,"metrics":{"loss":0.'$epoch'}'
done
event train_end '"epochs":2')",
                               {});
  ASSERT_EQ(record.epochs.size(), 2U);
  EXPECT_EQ(record.epochs[1].samples, 7);
  EXPECT_GT(record.epochs[1].wall_s, 0.1);
  ASSERT_EQ(record.metrics.size(), 2U);
  EXPECT_EQ(record.metrics[1].value, 0.1);
  EXPECT_THAT(record.header.note.str(), ::testing::HasSubstr("progress from events"));
  EXPECT_THAT(record.header.note.str(), ::testing::HasSubstr("1 lines are no events"));
}

TEST(ProgressFiles, MetricsOfTheProgramAreInTheRecord) {
  const auto record = recorded(
      "mkdir logs; echo epoch,loss > logs/x; sleep 0.3; echo 0,0.5 >> logs/x; "
      "sleep 0.3; echo 1,0.25 >> logs/x",
      {"--metrics=logs", "--events=none"});
  ASSERT_EQ(record.epochs.size(), 2U);
  ASSERT_EQ(record.metrics.size(), 2U);
  EXPECT_EQ(record.metrics[1].value, 0.25);
  EXPECT_THAT(record.header.note.str(), ::testing::HasSubstr("progress from metrics"));
}

}  // namespace
}  // namespace epochcast::runner
