#include "src/runner/hook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"

namespace epochcast::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Runs a command by epochcast-run in an empty folder, and reads the record.
record::Record record_of(const std::vector<std::string>& command,
                         const std::vector<std::string>& options) {
  const TemporaryFolder folder;
  std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-run",
                                 "--records=" + folder.path(),
                                 "--work=" + folder / "work",
                                 "--folder=" + folder.path(),
                                 "--point=p",
                                 "--telemetry=0s"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  const auto result = process::run_command(words, 60, {{"EPOCHCAST_JOB_ID", "1"}});
  EXPECT_TRUE(result.ok()) << result.err;
  return record::read_record(folder / "p-1.h5");
}

const std::string two_epochs =
    R"(event() { echo "{\"event\":\"$1\",$2\"pid\":1}" >> "$EPOCHCAST_HOOK"; }
sleep 0.3
event train_begin
for epoch in 0 1; do
  event epoch_begin "\"epoch\":$epoch,"
  sleep 0.3
  event epoch_end "\"epoch\":$epoch,"
  echo "Epoch $((epoch + 1))/2 - loss: 0.$epoch"
done
)";

TEST(Hook, IsMeantForPythonOnly) {
  EXPECT_TRUE(is_python({"/usr/bin/python3.11", "train.py"}));
  EXPECT_TRUE(is_python({"torchrun", "-m", "train"}));
  EXPECT_TRUE(is_python({"./train.py"}));
  EXPECT_FALSE(is_python({"./train", "--epochs", "3"}));
}

TEST(Hook, IsFoundByPython) {
  const auto environment = hook_environment("/x/events");
  EXPECT_EQ(environment.at("EPOCHCAST_HOOK"), "/x/events");
  EXPECT_THAT(environment.at("PYTHONPATH"), HasSubstr("python/epochcast/_site"));
}

TEST(Hook, TellsTimesAndTheOutputTellsMetrics) {
  const auto record = record_of({"sh", "-c", two_epochs}, {"--hook"});
  ASSERT_EQ(record.epochs.size(), 2U);
  EXPECT_GT(record.epochs[0].start_s, 0.2) << "without the start-up";
  ASSERT_EQ(record.metrics.size(), 2U);
  EXPECT_EQ(record.metrics[1].value, 0.1);
  EXPECT_EQ(record.header.progress_source.str(), "hook");
  EXPECT_THAT(record.header.note.str(), HasSubstr("progress from hook"));
}

TEST(Hook, ThatGivesUpLeavesTheEpochsToTheOutput) {
  const auto script = two_epochs.substr(0, two_epochs.find("event train_begin")) +
                      R"(event epoch_begin; event epoch_drop; event note '"text":"two loaders",'
for epoch in 1 2 3; do sleep 0.2; echo "Epoch $epoch/3 - loss: 0.$epoch"; done)";
  const auto record = record_of({"sh", "-c", script}, {"--hook"});
  EXPECT_EQ(record.epochs.size(), 3U);
  EXPECT_NE(record.header.progress_source.str(), "hook");
  EXPECT_THAT(record.header.note.str(), HasSubstr("; two loaders"));
}

TEST(Hook, ThatNobodyLoadedIsTold) {
  EXPECT_THAT(record_of({"true"}, {"--hook"}).header.note.str(),
              HasSubstr("no Python program has loaded"));
}

TEST(Hook, IsProposedFirstForAPythonProgramWithoutEpochs) {
  const std::string first = "to read the epochs of this Python program, add --hook";
  const auto note = [](const std::vector<std::string>& command,
                       const std::vector<std::string>& options) {
    return record_of(command, options).header.note.str();
  };
  EXPECT_THAT(note({"python3", "-c", ""}, {}), ::testing::StartsWith(first));
  EXPECT_THAT(note({"python3", "-c", ""}, {"--hook"}), Not(HasSubstr(first)));
  EXPECT_THAT(note({"true"}, {}), Not(HasSubstr(first)));
}

}  // namespace
}  // namespace epochcast::runner
