// What follows from the facts about a point, as a table.
#include "jobs/campaign/point_end.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/record/outcome.hpp"

namespace epochcast::jobs {
namespace {

using run::FailureCause;
using run::Outcome;
using slurm::JobState;

JobFacts without_job(const std::string& id) {
  return {.id = id};
}

/// A job that the scheduler knows.
JobFacts in(const std::string& id, JobState state, const std::string& more = "") {
  slurm::Job job{.id = id, .name = id, .state = state};
  (more.find(':') == std::string::npos ? job.reason : job.exit_code) = more;
  return {.id = id, .found = job};
}

JobFacts pack(JobFacts job) {
  job.points = 3;
  return job;
}
JobFacts ended(JobFacts job, int status, bool out_of_memory = false) {
  job = pack(std::move(job));
  job.end_in_pack = {.status = status, .out_of_memory = out_of_memory};
  return job;
}
JobFacts cancelled_alone(JobFacts job) {
  job.is_cancelled_alone = true;
  return job;
}
JobFacts own(JobFacts job) {
  job.is_own = true;
  return job;
}

Attempt record(const std::string& job, Outcome outcome, const std::string& text = "",
               FailureCause cause = FailureCause::none) {
  Attempt attempt;
  attempt.header.job_id = job;
  record::set_outcome(attempt.header, outcome, text, cause);
  return attempt;
}
Attempt pilot(const std::string& job) {
  auto attempt = record(job, Outcome::stopped, "pilot of 2 epochs");
  attempt.header.pilot_done = 1;
  return attempt;
}

/// The facts that the rows change: its job claimed it.
PointFacts claimed(JobFacts job) {
  return {.job = std::move(job), .is_claimed = true};
}
PointFacts submitted(JobFacts job) {
  return {.job = std::move(job)};
}
/// With a newest attempt in the job that has the point.
PointFacts recorded(const JobFacts& job, Attempt newest) {
  return {.job = job, .is_claimed = true, .attempts = {std::move(newest)}, .job_of_newest = job};
}
/// With a newest attempt in a job before the one that has the point.
PointFacts recorded_before(JobFacts job, Attempt newest, JobFacts before) {
  return {
      .job = std::move(job), .attempts = {std::move(newest)}, .job_of_newest = std::move(before)};
}
PointFacts by_cancel(PointFacts facts) {
  facts.is_cancelled = true;
  return facts;
}
PointFacts at_limit(PointFacts facts) {
  facts.limit_s = 3600;
  return facts;
}
PointFacts silent(PointFacts facts) {
  facts.scheduler_answers = false;
  return facts;
}
PointFacts with_runner(PointFacts facts) {
  facts.runner_is_active = true;
  return facts;
}

struct Case {
  const char* name;
  PointFacts facts;
  const char*
      end;  ///< "STATE", then CAUSE in brackets, ": REASON", "; exit CODE" if there are any.
};

std::string text_of(const PointEnd& end) {
  return fmt::format(
      "{}{}{}{}", to_text(end.state),
      end.cause == FailureCause::none ? "" : fmt::format(" ({})", to_text(end.cause)),
      end.reason.empty() ? "" : ": " + end.reason,
      end.exit_code.empty() ? "" : "; exit " + end.exit_code);
}

void expect_ends(const std::vector<Case>& cases) {
  for (const auto& one : cases) {
    const auto end = end_of(one.facts);
    EXPECT_EQ(text_of(end), one.end) << one.name;
    const bool of_attempt = attempt_of(one.facts) != nullptr;
    EXPECT_TRUE(of_attempt || !end.is_recorded) << one.name;
    EXPECT_TRUE(end.is_recorded || end.exit_code.empty()) << one.name;
  }
}

constexpr auto gone = "the job is gone; the scheduler has no reason for it any more";

TEST(EndOfPoint, WithoutARecordIsThatOfItsJob) {
  using enum JobState;
  const auto lost_job = fmt::format("missing (other): {}", gone);
  expect_ends({
      {"nothing was done", {}, "new"},
      {"it waits for its turn", submitted(in("1", pending, "Priority")), "pending: Priority"},
      {"it runs", claimed(in("1", running)), "running"},
      {"it runs, and its script has not begun", submitted(in("1", running)), "running"},
      {"it is held", submitted(in("1", requeue_hold, "JobHoldMaxRequeue")),
       "pending: REQUEUE_HOLD, JobHoldMaxRequeue"},
      {"it waits for a person", submitted(in("1", special_exit)), "pending: SPECIAL_EXIT"},
      {"others have its CPUs", claimed(in("1", suspended)), "running: SUSPENDED"},
      {"it is ending", claimed(in("1", completing)), "running: COMPLETING"},
      {"of a state that this program does not know", claimed(in("1", unknown)), "running"},
      {"its node failed", claimed(in("1", node_fail, "0:0")), "missing (node_failure): NODE_FAIL"},
      {"its node did not start", claimed(in("1", boot_fail)), "missing (node_failure): BOOT_FAIL"},
      {"somebody cancelled it with scancel", submitted(in("1", cancelled)),
       "missing (cancelled): CANCELLED"},
      {"its script failed", claimed(in("1", failed, "0:53")), "missing (other): FAILED, exit 0:53"},
      {"at its time limit", claimed(in("1", timeout, "0:0")), "missing (time_limit): TIMEOUT"},
      {"at its deadline", submitted(in("1", deadline)), "missing (time_limit): DEADLINE"},
      {"killed for its memory", claimed(in("1", out_of_memory, "0:125")),
       "missing (out_of_memory): OUT_OF_MEMORY, exit 0:125"},
      {"preempted", claimed(in("1", preempted)), "missing (preempted): PREEMPTED"},
      {"it did nothing", claimed(in("1", completed, "0:0")), "missing (other): COMPLETED"},
      {"without accounting", claimed(without_job("1")), lost_job.c_str()},
      {"cancelled by 'cancel', and Slurm has forgotten it", by_cancel(submitted(without_job("1"))),
       "missing (cancelled): CANCELLED"},
      {"cancelled by 'cancel', and it failed at that", by_cancel(claimed(in("1", failed, "9:0"))),
       "missing (cancelled): CANCELLED"},
      {"cancelled by 'cancel', and still in the queue", by_cancel(claimed(in("1", completing))),
       "running: COMPLETING"},
  });
}

TEST(EndOfPoint, WithoutAnAnswerNothingHasEnded) {
  expect_ends({
      {"it may wait", silent(submitted(without_job("1"))), "pending"},
      {"it began", silent(claimed(without_job("1"))), "running"},
      {"its record is open", silent(recorded(without_job("1"), record("1", Outcome::running))),
       "running"},
      {"its record has an end",
       silent(
           recorded(without_job("1"), record("1", Outcome::failed, "exit 3", FailureCause::other))),
       "failed (other): exit 3"},
      {"its pack has noted its end", silent(claimed(ended(without_job("1"), 3))),
       "missing (other): exit 3:0"},
  });
}

TEST(EndOfPoint, IsThatOfItsRecord) {
  using enum JobState;
  const auto lost = fmt::format("lost (other): {}", gone);
  const auto by_signal = [](Outcome outcome) {
    return record("1", outcome, "by a signal", FailureCause::other);
  };
  expect_ends({
      {"complete", recorded(in("1", completed, "0:0"), record("1", Outcome::complete)), "complete"},
      {"complete, and its job is ending",
       recorded(in("1", running), record("1", Outcome::complete)), "complete"},
      {"complete, and cancelled too late",
       by_cancel(recorded(in("1", cancelled), record("1", Outcome::complete))), "complete"},
      {"a pilot that did what it is for", recorded(in("1", completed), pilot("1")),
       "complete (other): pilot of 2 epochs"},
      {"it runs", recorded(in("1", running), record("1", Outcome::running)), "running"},
      {"the job was killed at its limit",
       recorded(in("1", timeout, "0:0"), record("1", Outcome::running)),
       "lost (time_limit): TIMEOUT"},
      {"without accounting", recorded(without_job("1"), record("1", Outcome::running)),
       lost.c_str()},
      {"cancelled by 'cancel', and killed",
       by_cancel(recorded(in("1", failed, "0:9"), record("1", Outcome::running))),
       "lost (cancelled): FAILED, exit 0:9"},
      {"it was noted as lost before",
       recorded(in("1", completed),
                record("1", Outcome::lost, "NODE_FAIL", FailureCause::node_failure)),
       "lost (node_failure): NODE_FAIL"},
      {"it names its error",
       recorded(in("1", failed, "1:0"),
                record("1", Outcome::failed, "no memory", FailureCause::out_of_memory)),
       "failed (out_of_memory): no memory"},
      {"Slurm knows who killed it",
       recorded(in("1", out_of_memory, "0:125"), by_signal(Outcome::failed)),
       "failed (out_of_memory): by a signal (OUT_OF_MEMORY); exit 0:125"},
      {"Slurm knows who stopped it",
       recorded(in("1", node_fail, "0:0"), by_signal(Outcome::stopped)),
       "stopped (node_failure): by a signal (NODE_FAIL); exit 0:0"},
      {"nobody knows who stopped it",
       recorded(in("1", failed, "75:0"), by_signal(Outcome::stopped)),
       "stopped (other): by a signal; exit 75:0"},
      {"without accounting, stopped", recorded(without_job("1"), by_signal(Outcome::stopped)),
       "stopped (other): by a signal"},
      {"cancelled by 'cancel', it saved its state",
       by_cancel(recorded(in("1", failed, "75:0"), by_signal(Outcome::stopped))),
       "stopped (cancelled): by a signal (CANCELLED)"},
      {"cancelled by 'cancel' near its limit",
       by_cancel(at_limit(recorded(without_job("1"), by_signal(Outcome::stopped)))),
       "stopped (cancelled): by a signal (CANCELLED)"},
      {"stopped near its limit",
       at_limit(recorded(in("1", failed, "75:0"), by_signal(Outcome::stopped))),
       "stopped (time_limit): time limit of 1h (by a signal)"},
      {"it stopped by itself before its limit",
       at_limit(recorded(in("1", completed),
                         record("1", Outcome::stopped, "saved early", FailureCause::before_limit))),
       "stopped (before_limit): saved early"},
      {"it failed near its limit",
       at_limit(recorded(in("1", failed, "1:0"), by_signal(Outcome::failed))),
       "failed (other): by a signal; exit 1:0"},
      {"its claim was released, and no other job has it",
       {.attempts = {by_signal(Outcome::stopped)}, .job_of_newest = in("1", timeout)},
       "stopped (time_limit): by a signal (TIMEOUT)"},
  });
}

TEST(EndOfPoint, OfAJobThatSlurmStartsAgainIsToCome) {
  using enum JobState;
  const auto by_signal = record("1", Outcome::stopped, "by a signal", FailureCause::other);
  const auto open = record("1", Outcome::running);
  expect_ends({
      {"it waits for its next start", recorded(in("1", pending, "BeginTime"), by_signal),
       "pending: BeginTime"},
      {"it runs, and has no new record", recorded(in("1", running), by_signal), "running"},
      {"its record of before is open", recorded(in("1", pending, "BeginTime"), open), "running"},
      {"the job that asks has only ended its program", recorded(own(in("1", running)), by_signal),
       "stopped (other): by a signal"},
  });
}

TEST(EndOfPoint, IsOfTheJobThatItWasReleasedFor) {
  using enum JobState;
  const auto before = in("1", timeout);
  const auto by_signal = record("1", Outcome::stopped, "by a signal", FailureCause::other);
  const auto complete = record("1", Outcome::complete);
  expect_ends({
      {"the next job waits", recorded_before(in("2", pending), by_signal, before), "pending"},
      {"the next job has ended", recorded_before(in("2", node_fail), by_signal, before),
       "missing (node_failure): NODE_FAIL"},
      {"a complete one is repeated", recorded_before(in("2", running), complete, before),
       "running"},
      {"a complete one was not repeated", recorded_before(in("2", node_fail), complete, before),
       "complete"},
      {"an element of an array has a number of its own",
       recorded_before(in("7_1", timeout),
                       record("9", Outcome::stopped, "by a signal", FailureCause::other),
                       in("9", timeout)),
       "stopped (time_limit): by a signal (TIMEOUT)"},
  });
}

TEST(EndOfPoint, InAPackDoesNotWaitForTheOthers) {
  using enum JobState;
  const auto job = in("1", running);
  const auto by_signal = record("1", Outcome::stopped, "by a signal", FailureCause::other);
  const auto open = record("1", Outcome::running);
  expect_ends({
      {"its turn comes later", submitted(pack(job)), "pending: its job runs others first"},
      {"the job waits", submitted(pack(in("1", pending, "Priority"))), "pending: Priority"},
      {"it has begun", claimed(pack(job)), "running"},
      {"it will be left out", submitted(cancelled_alone(pack(job))),
       "pending: is cancelled: its job leaves it out"},
      {"it was left out", submitted(cancelled_alone(ended(job, 0))),
       "missing (cancelled): CANCELLED"},
      {"it failed before its record began", claimed(ended(job, 2)), "missing (other): exit 2:0"},
      {"it was killed for its memory", claimed(ended(job, 1, true)),
       "missing (out_of_memory): OUT_OF_MEMORY"},
      {"the whole job was cancelled", by_cancel(claimed(ended(job, 75))),
       "missing (cancelled): CANCELLED"},
      {"it was killed", recorded(ended(job, 137), open), "lost (other): exit 137:0"},
      {"it was killed for its memory, and has a record", recorded(ended(job, 1, true), open),
       "lost (out_of_memory): OUT_OF_MEMORY"},
      {"it was cancelled alone, and killed", recorded(cancelled_alone(ended(job, 143)), open),
       "lost (cancelled): CANCELLED"},
      {"it was cancelled alone, and saved its state",
       recorded(cancelled_alone(ended(job, 75)), by_signal),
       "stopped (cancelled): by a signal (CANCELLED)"},
      {"it stopped, and the job goes on", recorded(ended(job, 75), by_signal),
       "stopped (other): by a signal; exit 75:0"},
      {"it is complete, and the job goes on",
       recorded(ended(job, 0), record("1", Outcome::complete)), "complete"},
  });
}

TEST(EndOfPoint, WithoutASchedulerIsWhatTheRunnersLockSays) {
  const auto job = without_job("local-1");
  const auto at_its_limit = in("local-1", JobState::timeout, "75:0");
  const auto open = record("local-1", Outcome::running);
  expect_ends({
      {"this process runs it", recorded(in("local-1", JobState::running), open), "running"},
      {"the runner has claimed it", with_runner(claimed(job)), "running"},
      {"its record is open", with_runner(recorded(job, open)), "running"},
      {"the runner was killed", recorded(job, open), "lost (other): the process is gone"},
      {"the runner was killed at once", claimed(job), "missing (other): ended without a record"},
      {"the scheduler of other points does not answer", silent(recorded(job, open)),
       "lost (other): the process is gone"},
      {"it failed",
       recorded(job, record("local-1", Outcome::failed, "exit 3", FailureCause::other)),
       "failed (other): exit 3"},
      {"the runner ended it at its limit",
       recorded(at_its_limit,
                record("local-1", Outcome::stopped, "by a signal", FailureCause::other)),
       "stopped (time_limit): by a signal (TIMEOUT); exit 75:0"},
      {"the runner killed it at its limit", recorded(at_its_limit, open),
       "lost (time_limit): the process is gone"},
      {"at its limit it had no record yet", claimed(at_its_limit),
       "missing (time_limit): ended without a record"},
      {"it was complete before its limit",
       recorded(at_its_limit, record("local-1", Outcome::complete)), "complete"},
  });
}

TEST(EndOfAnAttempt, IsCertainWhereTheJobBeganAgainOrAnotherHasTheClaim) {
  auto facts = recorded(in("7", JobState::running), record("7", Outcome::running));
  facts.attempts.push_back(facts.attempts[0]);
  facts.attempts[0].header.restart = 2;  // the clock of its node is behind
  facts.attempts[1].header.restart = 1;
  EXPECT_FALSE(is_followed(facts, facts.attempts[0]));
  EXPECT_TRUE(is_followed(facts, facts.attempts[1]));
  EXPECT_TRUE(is_followed(facts, record("6", Outcome::running))) << "job 7 has the claim";
  facts.is_claimed = false;
  EXPECT_FALSE(is_followed(facts, record("6", Outcome::running)));
  facts.is_claimed = true;
  facts.job.id = "7_3";
  EXPECT_FALSE(is_followed(facts, record("10", Outcome::running))) << "the number of an element";
}

}  // namespace
}  // namespace epochcast::jobs
