#include "src/training/loop/attempt.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "src/forecast/run/left.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/record/outcome.hpp"
#include "src/training/loop/progress.hpp"
#include "tests/src/training/loop/attempt_runs.hpp"
#include "tests/thrown.hpp"

namespace epochcast::train {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(AttemptTest, CallsTheWorkloadInThisOrder) {
  config.epochs = 1;
  run("1");
  EXPECT_THAT(workload->calls,
              ElementsAre("synchronize", "start_epoch 0", "load_batch", "step", "synchronize",
                          "load_batch", "step", "load_batch", "step", "load_batch", "synchronize",
                          "losses", "sample epoch-0001.png", "save"));
}

/// What is left after the newest epoch of 20, by the rows that observers are given.
struct LeftSeen : Observer {
  void training_begins(const record::Work&, const Position&,
                       const forecast::ObservedRun& of) override {
    run = &of;
  }
  void epoch_ends(const record::Epoch& row, const Metrics&) override {
    at_s = row.start_s + row.wall_s;
    left = forecast::left_s(*run, {.epochs = 20}, at_s);
  }
  const forecast::ObservedRun* run = nullptr;
  double at_s = 0;
  std::optional<forecast::Prediction> left;
};

TEST_F(AttemptTest, ObserversSeeTheRowsOfTheRecord) {
  config.epochs = 3;
  config.evaluate_every = 1;
  output.resume = true;
  LeftSeen seen;
  observers = {&seen};
  const auto expect_same = [&](const record::Record& record) {
    const auto wanted = forecast::left_s(forecast::observed(record), {.epochs = 20}, seen.at_s);
    ASSERT_TRUE(seen.left && wanted);
    EXPECT_DOUBLE_EQ(seen.left->value, wanted->value);
    EXPECT_DOUBLE_EQ(seen.left->interval_95.low, wanted->interval_95.low);
    EXPECT_DOUBLE_EQ(seen.left->interval_95.high, wanted->interval_95.high);
  };
  arrange = [](FakeWorkload& fake) {
    fake.scores = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    fake.chooses_kernels_s = 2;
  };
  expect_same(run("whole"));
  fs::remove_all(output.work);
  stop_at_call(workload->calls.size() / 2);
  const auto first = run("first");
  ASSERT_NE(first.iterations.size() % 3, 0U) << "it stops within an epoch";
  arrange = [](FakeWorkload&) {};
  expect_same(run("rest"));
}

TEST_F(AttemptTest, EndsWhereTheTargetAccuracyIsReached) {
  config.epochs = 5;
  config.target_accuracy = 0.85;
  arrange = [](FakeWorkload& fake) { fake.reaches_target_after = 2; };
  const auto record = run("1");
  EXPECT_EQ(status, exit_done);
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record.header.outcome_text.view(), "reached target_accuracy=0.85 after 2 of 5 epochs");
  EXPECT_EQ(record.epochs.size(), 2U);
}

TEST_F(AttemptTest, RecordsWhatItDid) {
  const auto record = run("1");
  EXPECT_EQ(status, exit_done);
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record.header.outcome_text.view(), "2 of 2 epochs");
  ASSERT_EQ(record.work.size(), 1u);
  EXPECT_EQ(record.work[0].iterations_per_epoch, 3);
  EXPECT_THAT(steps_of(record), ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(0, 2),
                                            std::pair(1, 0), std::pair(1, 1), std::pair(1, 2)));
  EXPECT_EQ(record.iterations[2].samples, 2);
  EXPECT_DOUBLE_EQ(record.iterations[2].work, 4);
  EXPECT_DOUBLE_EQ(record.iterations[1].wait_s, 1.0 / 64 + 1.0 / 1024);
  EXPECT_DOUBLE_EQ(record.iterations[1].step_s, 1.0 / 8 + 1.0 / 1024);
  ASSERT_EQ(record.epochs.size(), 2u);
  EXPECT_EQ(record.epochs[1].samples, 10);
  EXPECT_EQ(record.epochs[1].iterations, 3);
  EXPECT_DOUBLE_EQ(record.epochs[1].wait_s, 3 * (1.0 / 64 + 1.0 / 1024));
}

TEST_F(AttemptTest, RecordsRemarksOfTheOpeningAndOfTheTraining) {
  arrange = [this](FakeWorkload& fake) {
    fake.remarks = {"512 images"};
    fake.before_call = [this](std::size_t call) {
      if (call == 5) {
        workload->remarks.push_back("skipped a.png");
      }
    };
  };
  EXPECT_EQ(run("1").header.note.view(), "512 images; skipped a.png");
}

TEST_F(AttemptTest, RecordsThatTheLossWasNotFinite) {
  arrange = [](FakeWorkload& fake) { fake.loss = std::nan(""); };
  EXPECT_EQ(run("1").header.note.view(),
            "the loss was not finite in epoch 1: the training has diverged");
}

/// HDF5 keeps writing to a file that was removed.
TEST_F(AttemptTest, FailsIfItsRecordIsRemovedDuringTheRun) {
  arrange = [this](FakeWorkload& fake) {
    fake.before_call = [this](std::size_t call) {
      if (call == 5) {
        fs::remove_all(output.records);
      }
    };
  };
  EXPECT_THROW(run("1"), Error) << "there is no record to read";
  EXPECT_EQ(status, exit_failed);
  EXPECT_THAT(error, HasSubstr("fake-1.h5: the record was removed while the run was writing it"));
}

TEST_F(AttemptTest, AnExceptionOfAnyTypeIsAFailureInTheRecord) {
  for (const auto& thrown : thrown_of_every_kind()) {
    arrange = [&](FakeWorkload& fake) { fake.before_call = [&](std::size_t) { thrown.raise(); }; };
    const auto header = run(std::to_string(&thrown - thrown_of_every_kind().data())).header;
    EXPECT_EQ(error, thrown.text);
    EXPECT_EQ(status, thrown.status) << thrown.text;
    EXPECT_EQ(header.outcome.str(), "failed") << thrown.text;
    EXPECT_EQ(header.outcome_text.str(), thrown.text);
    EXPECT_EQ(header.cause.str(), thrown.cause) << thrown.text;
  }
}

TEST_F(AttemptTest, RecordsTheMetricsOfEveryEpoch) {
  const auto record = run("1");
  std::map<std::string, double> last;
  for (const auto& metric : record.metrics) {
    if (metric.epoch == 1) {
      last[metric.name.str()] = metric.value;
    }
  }
  EXPECT_EQ(last["loss_g"], 1.0);
  EXPECT_DOUBLE_EQ(last["examples_per_s"], 10 / record.epochs[1].wall_s);
  EXPECT_GT(last["recorder_s"], 0);
  EXPECT_GT(last["peak_memory_bytes"], 1e6) << "of this test's own process";
}

TEST_F(AttemptTest, ItsSpansLeaveNoGap) {
  auto spans = run("1").spans;
  std::erase_if(spans, [](const record::Span& span) {
    return span.name == "first_iteration" || span.name == "record";
  });
  std::ranges::sort(spans, {}, &record::Span::start_s);
  double covered_s = 0;
  for (const auto& span : spans) {
    covered_s += span.duration_s;
  }
  // Between the spans lie only the calls that belong to none: synchronize before an epoch, losses
  // after it.
  EXPECT_DOUBLE_EQ(covered_s, clock.time_s - 2 * 2.0 / 1024);
}

TEST_F(AttemptTest, AddsDeviceTimesLateAndInOrder) {
  config.device = "cuda";
  arrange = [](FakeWorkload& fake) {
    fake.device_times_late_by = 2;
    fake.exchange_on_device_s = 0.25;
  };
  const auto record = run("1");
  ASSERT_EQ(record.iterations.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(record.iterations[i].device_s, 0.5 + static_cast<double>(i));
    EXPECT_DOUBLE_EQ(record.iterations[i].gradient_sync_wait_s, 0.25);
  }
}

struct LimitCase {
  std::int64_t max_iterations;
  double max_time_s;
  std::size_t steps;
  std::size_t epochs;
  const char* text;
};
class AttemptLimits : public AttemptTest, public testing::WithParamInterface<LimitCase> {};

TEST_P(AttemptLimits, EndTheRunAsComplete) {
  config.max_iterations = GetParam().max_iterations;
  config.max_time = {GetParam().max_time_s};
  const auto record = run("1");
  EXPECT_EQ(status, exit_done);
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record.header.outcome_text.view(), GetParam().text);
  EXPECT_EQ(record.iterations.size(), GetParam().steps);
  EXPECT_EQ(record.epochs.size(), GetParam().epochs);
}
INSTANTIATE_TEST_SUITE_P(
    Table, AttemptLimits,
    testing::Values(
        LimitCase{1, 0, 1, 0, "ended by max_iterations=1 in epoch 1 of 2, 1 iterations into it"},
        LimitCase{3, 0, 3, 1, "ended by max_iterations=3 in epoch 2 of 2, 0 iterations into it"},
        LimitCase{5, 0, 5, 1, "ended by max_iterations=5 in epoch 2 of 2, 2 iterations into it"},
        LimitCase{6, 0, 6, 2, "2 of 2 epochs"}, LimitCase{99, 0, 6, 2, "2 of 2 epochs"},
        LimitCase{0, 0.2, 2, 0, "ended by max_time=0.2s in epoch 1 of 2, 2 iterations into it"},
        LimitCase{0, 1000, 6, 2, "2 of 2 epochs"}),
    [](const auto& test) {
      return "iterations_" + std::to_string(test.param.max_iterations) + "_milliseconds_" +
             std::to_string(std::lround(1000 * test.param.max_time_s));
    });

/// The end of the job in epochs of a whole run, and how many of four epochs it then does.
class AttemptLimit : public AttemptTest {
 protected:
  AttemptLimit() {
    config.epochs = 4;
    const auto whole = run("whole");
    epoch_s = whole.epochs[2].start_s - whole.epochs[1].start_s;
    start_s = whole.epochs[0].start_s;
    std::filesystem::remove_all(folder);
    job.options.limit_lead = {epoch_s / 1000};
  }
  record::Record run_until(double epochs, const std::string& id = "1") {
    job.end_s = start_s + epochs * epoch_s;
    return run(id);
  }
  double epoch_s = 0;
  double start_s = 0;
};

TEST_F(AttemptLimit, StopsBeforeTheEpochThatDoesNotFitAndGoesOnFromThere) {
  job.options.near_limit = "epoch";
  std::ostringstream log;
  Progress progress(log, ProgressStyle::lines, config, clock);
  observers = {&progress};
  const auto record = run_until(2.5);
  EXPECT_EQ(status, exit_stopped);
  EXPECT_EQ(record.header.outcome.view(), "stopped");
  EXPECT_EQ(record::cause_of(record.header), run::FailureCause::before_limit);
  EXPECT_EQ(record.epochs.size(), 2U);
  EXPECT_EQ(record.iterations.size(), 6U) << "no step of an epoch that does not fit";
  EXPECT_THAT(
      record.header.outcome_text.str(),
      testing::MatchesRegex("stopped before epoch 3 of 4: epoch 3 of 4 needs up to .*s, and "
                            "the job has .*s left for it"));
  EXPECT_THAT(log.str(), HasSubstr("\n" + record.header.outcome_text.str() + "\n"));
  output.resume = true;
  const auto rest = run_until(100, "2");
  EXPECT_EQ(status, exit_done);
  EXPECT_EQ(rest.header.resumed_from.view(), "fake-1.h5");
  EXPECT_EQ(rest.epochs.front().epoch, 2);
  EXPECT_EQ(rest.epochs.size(), 2U);
}

TEST_F(AttemptLimit, BeginsEveryEpochThatFitsAndTheFirstInAnyCase) {
  job.options.near_limit = "epoch";
  EXPECT_EQ(run_until(100, "a").epochs.size(), 4U);
  EXPECT_EQ(run_until(0.5, "b").epochs.size(), 1U);
  job.end_s = {};
  EXPECT_EQ(run("c").epochs.size(), 4U) << "the end is not known";
}

TEST_F(AttemptLimit, WithoutTheOptionItRunsUntilItIsStopped) {
  EXPECT_EQ(run_until(2.5).header.outcome.view(), "complete");
}

TEST_F(AttemptLimit, ARunThatCannotEndInTimeIsToldSoOnce) {
  std::ostringstream log;
  config.epochs = 40;
  Progress progress(log, ProgressStyle::lines, config, clock, "", start_s + 10 * epoch_s);
  observers = {&progress};
  EXPECT_EQ(run_until(10).header.outcome.view(), "complete");
  const auto first = log.str().find("\nwarning: the run cannot end within its limit: it needs at");
  ASSERT_NE(first, std::string::npos) << log.str();
  EXPECT_LT(first, log.str().find("epoch 10/40: ")) << "early";
  EXPECT_EQ(log.str().find("warning", first + 10), std::string::npos) << log.str();
}

TEST_F(AttemptLimit, ARunThatCannotEndInTimeIsStoppedByOption) {
  job.options.over_limit = "stop";
  config.epochs = 40;
  const auto record = run_until(10);
  EXPECT_EQ(status, exit_stopped);
  EXPECT_EQ(record.epochs.size(), 1U);
  EXPECT_EQ(record::cause_of(record.header), run::FailureCause::before_limit);
  EXPECT_THAT(record.header.outcome_text.str(),
              HasSubstr("the run cannot end within its limit: it needs at least "));
}

/// A pilot is to tell what follows an epoch, also where it is shorter than one.
TEST_F(AttemptTest, IterationsThatEndWithinAnEpochAreFollowedByWhatFollowsAnEpoch) {
  config.max_iterations = 2;
  const auto record = run("1");
  std::vector<std::string> names;
  for (const auto& span : record.spans) {
    names.push_back(span.name.str());
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"train", "sample", "checkpoint"}));
  EXPECT_TRUE(record.epochs.empty()) << "it was no whole epoch";
}

/// Fails at one call after the other: what was measured before stays.
TEST_F(AttemptTest, FailedAtAnyCallKeepsWhatItMeasured) {
  run("whole");
  const auto calls = workload->calls;
  for (std::size_t call = 0; call < calls.size(); ++call) {
    SCOPED_TRACE("failure at call " + std::to_string(call) + ", " + calls[call]);
    fs::remove_all(output.work);
    arrange = [call](FakeWorkload& fake) {
      fake.before_call = [call](std::size_t now) {
        if (now == call) {
          throw RunError("out of memory on the device\nframe #0: something");
        }
      };
    };
    const auto record = run(std::to_string(call));
    EXPECT_EQ(status, exit_failed);
    EXPECT_EQ(error, "out of memory on the device");
    EXPECT_EQ(record.header.outcome.view(), "failed");
    EXPECT_EQ(record.header.outcome_text.view(), "out of memory on the device");
    EXPECT_FALSE(record.header.finished_at.view().empty());
    const auto before = calls.begin() + static_cast<std::ptrdiff_t>(call);
    const bool in_first_sync =
        call == 4;  // the row of a step is made after the wait for the first one
    EXPECT_EQ(static_cast<std::ptrdiff_t>(record.iterations.size()),
              std::count(calls.begin(), before, "step") - (in_first_sync ? 1 : 0));
  }
}

TEST_F(AttemptTest, AWorkloadThatCannotBeMadeIsAFailedRecord) {
  Attempt attempt{.config = config,
                  .output = output,
                  .start = {},
                  .make_workload = [](Team&) -> std::unique_ptr<Workload> {
                    throw RunError("no CUDA device works");
                  },
                  .observers = {}};
  attempt.start.header.job_id = "9";
  EXPECT_THROW(static_cast<void>(run_attempt(attempt, clock, attempt::StopFlag())), RunError);
  const auto record = record::read_record(folder / "records" / "fake-9.h5");
  EXPECT_EQ(record.header.outcome.view(), "failed");
  EXPECT_EQ(record.header.outcome_text.view(), "no CUDA device works");
}

TEST_F(AttemptTest, TheCallerLearnsThatTheInputWasBad) {
  arrange = [](FakeWorkload& fake) {
    fake.before_call = [](std::size_t) { throw Error("data.csv:3: found 'x', expected a number"); };
  };
  const auto record = run("1");
  EXPECT_EQ(status, exit_bad_input);
  EXPECT_EQ(record.header.outcome_text.view(), "data.csv:3: found 'x', expected a number");
}

TEST_F(AttemptTest, ARequeuedJobHasARecordOfItsOwn) {
  record::RecordHeader header;
  header.job_id = "7";
  EXPECT_EQ(attempt::record_path(output, header).filename(), "fake-7.h5");
  header.restart = 2;
  EXPECT_EQ(attempt::record_path(output, header).filename(), "fake-7-r2.h5");
}

/// Has one row after its first step and one when no step follows.
class RowsOfAnObserver : public Observer {
 public:
  void step_ends(const record::Iteration& /*row*/, const Metrics& /*losses*/) override {
    steps_ += 1;
    is_due_ = is_due_ || steps_ == 1;
  }
  void run_ends() override { is_due_ = true; }
  void append_rows(record::RecordWriter& record) override {
    if (is_due_) {
      record.append(record::Profile{.steps = steps_});
      is_due_ = false;
    }
  }

 private:
  std::int64_t steps_ = 0;
  bool is_due_ = false;
};

TEST_F(AttemptTest, RowsOfAnObserverReachTheRecordAlsoAtTheEnd) {
  RowsOfAnObserver observer;
  observers = {&observer};
  const auto record = run("1");
  ASSERT_EQ(record.profile.size(), 2U);
  EXPECT_EQ(record.profile.back().steps, std::ssize(record.iterations));
}

TEST_F(AttemptTest, RowsOfAnObserverReachTheRecordOfARunThatIsStopped) {
  RowsOfAnObserver observer;
  observers = {&observer};
  config.max_iterations = 1;
  const auto record = run("1");
  ASSERT_FALSE(record.profile.empty());
  EXPECT_EQ(record.profile.back().steps, 1);
}

TEST_F(AttemptTest, TheLastPlaceForRecordsIsAFileIsReported) {
  std::ofstream(folder.string() + ".file") << "x";
  output.records = folder.string() + ".file/records";
  try {
    Attempt attempt{
        .config = config, .output = output, .start = {}, .make_workload = {}, .observers = {}};
    static_cast<void>(run_attempt(attempt, clock, attempt::StopFlag()));
    FAIL();
  } catch (const RunError& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("folder cannot be made"));
  }
  fs::remove(folder.string() + ".file");
}

}  // namespace
}  // namespace epochcast::train
