// Checkpoints: when they are saved, and that an attempt which goes on from one ends as if the first
// had never stopped.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "tests/src/training/loop/attempt_runs.hpp"

namespace epochcast::train {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct CheckpointCase {
  std::int64_t every;
  std::vector<std::int64_t> epochs;
};
class AttemptCheckpoints : public AttemptTest,
                           public testing::WithParamInterface<CheckpointCase> {};

TEST_P(AttemptCheckpoints, AreSavedAsOftenAsRequestedAndAtTheEnd) {
  config.epochs = 5;
  config.checkpoint_every = GetParam().every;
  std::vector<std::int64_t> saved;
  for (const auto& span : run("1").spans) {
    if (span.name == "checkpoint") {
      saved.push_back(span.epoch);
    }
  }
  EXPECT_EQ(saved, GetParam().epochs);
}
INSTANTIATE_TEST_SUITE_P(Table, AttemptCheckpoints,
                         testing::Values(CheckpointCase{0, {}}, CheckpointCase{1, {0, 1, 2, 3, 4}},
                                         CheckpointCase{2, {1, 3, 4}}, CheckpointCase{9, {4}}),
                         [](const auto& test) {
                           return "every_" + std::to_string(test.param.every);
                         });

/// Stops at one call after the other; the second attempt must finish what the first left, step for
/// step.
TEST_F(AttemptTest, StoppedAtAnyCallAndResumedEndsAsIfItNeverStopped) {
  const auto whole = run("whole");
  const auto weights = workload->weights;
  const auto calls = workload->calls.size();
  output.resume = true;
  int stopped = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    SCOPED_TRACE("stop at call " + std::to_string(call));
    fs::remove_all(output.work);
    stop_at_call(call);
    const auto first = run(std::to_string(call) + "a");
    auto steps = steps_of(first);
    if (first.header.outcome == "complete") {
      EXPECT_EQ(status, exit_done);
    } else {
      ++stopped;
      EXPECT_EQ(status, exit_stopped);
      EXPECT_EQ(first.header.outcome.view(), "stopped");
      EXPECT_THAT(first.header.outcome_text.str(), HasSubstr("stopped by SIGUSR1"));
      arrange = [](FakeWorkload&) {};
      const auto second = run(std::to_string(call) + "b");
      EXPECT_EQ(second.header.outcome.view(), "complete");
      EXPECT_EQ(second.header.resumed_from.view(),
                steps.empty() ? "" : "fake-" + std::to_string(call) + "a.h5");
      const auto rest = steps_of(second);
      steps.insert(steps.end(), rest.begin(), rest.end());
    }
    EXPECT_EQ(steps, steps_of(whole));
    EXPECT_EQ(workload->weights, weights);
  }
  EXPECT_GT(stopped, 15);
}

/// Killed with a checkpoint written but its epoch not yet in the record, the epoch is measured
/// again.
TEST_F(AttemptTest, ACheckpointCountsOnceTheRecordHoldsItsEpoch) {
  output.resume = true;
  const auto child = fork();
  if (child == 0) {
    arrange = [](FakeWorkload& fake) { fake.after_save = [] { _exit(0); }; };
    run("killed");
    _exit(1);
  }
  int end = -1;
  waitpid(child, &end, 0);
  ASSERT_EQ(end, 0);
  EXPECT_EQ(run("resumed").epochs.size(), 2u);
}

TEST_F(AttemptTest, ASecondSignalChangesNothing) {
  arrange = [this](FakeWorkload& fake) {
    fake.before_call = [this](std::size_t call) {
      if (call >= 3) {
        stop->request(call == 3 ? SIGUSR1 : SIGTERM);
      }
    };
  };
  const auto record = run("1");
  EXPECT_EQ(status, exit_stopped);
  EXPECT_EQ(record.header.outcome_text.view(),
            "stopped by SIGUSR1 in epoch 1 of 2, 1 iterations into it");
}

TEST_F(AttemptTest, ResumingWithoutACheckpointBeginsAtTheStart) {
  output.resume = true;
  const auto record = run("1");
  EXPECT_EQ(record.header.resumed_from.view(), "");
  EXPECT_EQ(record.iterations.size(), 6u);
}

TEST_F(AttemptTest, ResumingAFinishedRunTrainsNothing) {
  run("1");
  output.resume = true;
  const auto record = run("2");
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record.header.resumed_from.view(), "fake-1.h5");
  EXPECT_TRUE(record.iterations.empty());
}

TEST_F(AttemptTest, KeepsOnlyTheNewestCheckpoint) {
  stop_at_call(5);
  run("1");
  arrange = [](FakeWorkload&) {};
  output.resume = true;
  run("2");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / "work" / "fake")) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("fake-2.checkpoint"));
}

}  // namespace
}  // namespace epochcast::train
