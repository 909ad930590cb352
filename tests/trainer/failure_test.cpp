// What goes wrong: one clear line, the right exit status, and nothing lost that was measured.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The error must be the last line, and the only one that is an error.
void expect_one_line(const process::CommandResult& result, const std::string& text) {
  const auto at = result.err.rfind("epochcast-train: error: ");
  ASSERT_NE(at, std::string::npos) << result.err;
  EXPECT_THAT(result.err.substr(at), HasSubstr(text));
  EXPECT_EQ(
      std::count(result.err.begin() + static_cast<std::ptrdiff_t>(at), result.err.end(), '\n'), 1)
      << result.err;
}

struct BadCase {
  std::vector<std::string> words;
  const char* text;
};
void PrintTo(const BadCase& c, std::ostream* out) {
  for (const auto& word : c.words) {
    *out << word << ' ';
  }
}

class BadCommandLine : public TrainerTest, public testing::WithParamInterface<BadCase> {};

TEST_P(BadCommandLine, IsOneLineExit2AndNoRecord) {
  std::vector<std::string> all{program()};
  all.insert(all.end(), GetParam().words.begin(), GetParam().words.end());
  const auto result = process::run_command(all, 60, {{"PWD", folder}});
  EXPECT_EQ(result.status, 2);
  expect_one_line(result, GetParam().text);
  EXPECT_FALSE(std::filesystem::exists("records"));
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadCommandLine,
    testing::Values(
        BadCase{{"--bacth=4"}, "unknown option '--bacth'; did you mean 'batch'?"},
        BadCase{{"--batch=four"}, "batch: found 'four', expected a whole number"},
        BadCase{{"--batch=0"}, "batch: found '0'"}, BadCase{{"--batch"}, "batch"},
        BadCase{{"--epochs=-1"}, "epochs: found '-1'"},
        BadCase{{"--procedure=quick"},
                "procedure: found 'quick', expected one of optimized, reference"},
        BadCase{
            {"--model=mlp", "--dataset=disc", "--optimizer=sgd", "--optimizer.learning_rate=inf"},
            "optimizer.learning_rate: found 'inf', expected a number"},
        BadCase{{"--clip_norm=inf"}, "--clip-norm: found 'inf', expected a number"},
        BadCase{{"--device=gpu"}, "device: found 'gpu', expected one of cpu, cuda"},
        BadCase{{"--max_time=90"}, "max-time: found '90'"},
        BadCase{{"--model=dcgna"}, "unknown model 'dcgna'; did you mean 'dcgan'?"},
        BadCase{{"--dataset=image"}, "unknown dataset 'image'; did you mean 'images'?"},
        BadCase{{"--dataset=synthetic", "--dataset.sampels=4"},
                "dataset.sampels: unknown option of dataset 'synthetic'; did you mean 'samples'?"},
        BadCase{{"--dataset=synthetic", "--dataset.samples=x"}, "dataset.samples: found 'x'"},
        BadCase{{"--model.depth"}, "option '--model.depth' needs a value"},
        BadCase{{"--resume=perhaps"}, "resume: found 'perhaps'"},
        BadCase{{"--point=a/b", "--dataset=synthetic"}, "--point: found 'a/b'"},
        BadCase{{"--point=..", "--dataset=synthetic"}, "--point: found '..'"},
        BadCase{{"trian"}, "unknown subcommand 'trian'; did you mean 'train'?"},
        BadCase{{"train", "dcgan"}, "found 'dcgan', expected no further words"},
        BadCase{{"list", "--jsn"}, "unknown option '--jsn'; did you mean 'json'?"},
        BadCase{{"list", "distlbert"}, "did you mean 'distilbert'?"}));

TEST_F(TrainerTest, RefusesAnAllocationItCannotRead) {
  const auto result = process::run_command(words("p", 1), 60, {{"EPOCHCAST_ASKED", "cpsu=4"}});
  EXPECT_EQ(result.status, 2);
  expect_one_line(result, "EPOCHCAST_ASKED");
}

struct FailedCase {
  const char* name;
  std::vector<std::string> words;
  const char* text;
  int status;
};
void PrintTo(const FailedCase& c, std::ostream* out) {
  *out << c.name;
}

class FailedTraining : public TrainerTest, public testing::WithParamInterface<FailedCase> {};

TEST_P(FailedTraining, IsOneLineAndARecordOfIt) {
  const auto result =
      process::run_command(words("p", 1, GetParam().words), 60, {{"EPOCHCAST_JOB_ID", "1"}});
  EXPECT_EQ(result.status, GetParam().status);
  expect_one_line(result, GetParam().text);
  const auto failed = record("p", "1");
  EXPECT_EQ(failed.header.outcome.view(), "failed");
  EXPECT_THAT(failed.header.outcome_text.str(), HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Table, FailedTraining,
                         testing::Values(FailedCase{"no data",
                                                    {"--dataset=images", "--dataset.samples=",
                                                     "--dataset.path=/no/such/folder"},
                                                    "/no/such/folder",
                                                    2},
                                         FailedCase{"a folder that cannot be made",
                                                    {"--work=/dev/null/work"},
                                                    "/dev/null/work",
                                                    1}));

TEST_F(TrainerTest, NeverFallsBackToTheCpu) {
  const auto result =
      process::run_command(words("p", 1, {"--device=cuda"}), 60,
                           {{"EPOCHCAST_JOB_ID", "1"}, {"CUDA_VISIBLE_DEVICES", "-1"}});
  EXPECT_EQ(result.status, 1);
  const auto failed = record("p", "1");
  EXPECT_EQ(failed.header.outcome.view(), "failed");
  EXPECT_THAT(failed.header.outcome_text.str(), HasSubstr("CUDA"));
  EXPECT_TRUE(failed.iterations.empty());
}

TEST_F(TrainerTest, RefusesARecordsFolderThatCannotBeMade) {
  const auto result = process::run_command(words("p", 1, {"--records=/dev/null/records"}), 60);
  EXPECT_EQ(result.status, 1);
  expect_one_line(result, "/dev/null/records: folder cannot be made");
}

TEST_F(TrainerTest, RefusesToOverwriteARecord) {
  ASSERT_EQ(train("p", "1", 1, {"--max_iterations=1"}).status, 0);
  const auto second = train("p", "1", 1, {"--max_iterations=1"});
  EXPECT_EQ(second.status, 1);
  expect_one_line(second, "exists");
  EXPECT_EQ(record("p", "1").iterations.size(), 1u);
}

TEST_F(TrainerTest, RefusesACheckpointOfAnotherTraining) {
  ASSERT_EQ(train("p", "1", 1, {"--max_iterations=3"}).status, 0);
  ASSERT_EQ(train("p", "2", 1).status, 0);
  const auto other = train("p", "3", 1, {"--resume", "--seed=5"});
  EXPECT_EQ(other.status, 2);
  expect_one_line(other, "seed");
  EXPECT_EQ(record("p", "3").header.outcome.view(), "failed");
}

/// A file system of a few MiB under work/, in a mount name space of its own.
TEST_F(TrainerTest, OnAFullDiskKeepsWhatItMeasured) {
  std::filesystem::create_directories(folder / "work");
  std::vector<std::string> all{"unshare",
                               "--mount",
                               "sh",
                               "-c",
                               "mount -t tmpfs -o size=8m none \"$0\" || exit 42; exec \"$@\"",
                               folder / "work"};
  const auto training = words("p", 2);
  all.insert(all.end(), training.begin(), training.end());
  const auto result = process::run_command(all, 300, {{"EPOCHCAST_JOB_ID", "1"}});
  if (result.status == 42 || result.err.find("unshare") != std::string::npos) {
    GTEST_SKIP() << "no mount name spaces here: " << result.err;
  }
  EXPECT_EQ(result.status, 1);
  expect_one_line(result, "No space left on device");
  const auto failed = record("p", "1");
  EXPECT_EQ(failed.header.outcome.view(), "failed");
  EXPECT_EQ(failed.iterations.size(), 3u);
}

/// What is printed must not land in the record, which would get the number of the closed stream.
TEST_F(TrainerTest, ClosedStandardStreamsLeaveTheRecordIntact) {
  for (const std::string closed : {">&- 2>&-", "<&- >&- 2>&-", "2>&-"}) {
    std::filesystem::remove_all(folder / "records");
    std::string line;
    for (const auto& word : words("p", 2, {"--model=mlp", "--procedure=reference"})) {
      line += "'" + word + "' ";
    }
    const auto result = process::run_command(
        {"bash", "-c", line + closed}, 300, {{"EPOCHCAST_JOB_ID", "job"}, {"EPOCHCAST_ASKED", ""}});
    EXPECT_EQ(result.status, 0) << closed;
    EXPECT_EQ(record("p", "job").epochs.size(), 2u) << closed;
  }
}

}  // namespace
}  // namespace epochcast
