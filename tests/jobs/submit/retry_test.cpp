// What `retry:` submits again, by the reason of the end.
#include <gmock/gmock.h>

#include "jobs/submit/cancel.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::CampaignTest;
using test::running_record;
using testing::ElementsAre;
using testing::HasSubstr;

/// With a policy in the experiment.
class RetryTest : public CampaignTest {
 protected:
  RetryTest() {
    make(
        "name: x\nsweep: {epochs: [1, 2]}\nretry: {timeout: resume, out_of_memory: {memory: 1.5x, "
        "most: 2G}, node_failure: {exclude_node: true}, failed: restart, attempts: 4}\n");
  }

  /// Every job ends: the last ones as `states`, in the order of their numbers.
  void end(const std::vector<std::string>& states) {
    std::string accounting;
    for (std::size_t i = 0; i < states.size(); ++i) {
      accounting += fmt::format("{0}|{0}|{1}|9|1:0|0||\n", i + 1, states[i]);
    }
    scheduler_.accounting_is(accounting);
    scheduler_.jobs.clear();
  }
  /// The options of the last jobs, as sbatch gets them, without token and folder.
  std::vector<std::string> last_calls(std::size_t count) const {
    auto calls = scheduler_.calls();
    calls.erase(calls.begin(), calls.end() - static_cast<std::ptrdiff_t>(count));
    for (auto& call : calls) {
      call = call.substr(call.find("--comment"));
      call = call.substr(call.find(' ') + 1);
      call = call.substr(0, call.rfind(out_));
    }
    return calls;
  }
};

TEST_F(RetryTest, TheEndingJobSubmitsThePointAgainOnce) {
  submit_all();
  const auto stop = [&](const std::string& job, const std::string& cause) {
    auto text = running_record(points_[0], job);
    text.replace(text.find("\"running\""), 9, "\"stopped\",\"cause\":\"" + cause + "\"");
    folder_.write("out/records/p-" + job + ".jsonl", text);
    write_file(out_ + "/claims/" + points_[0], job + "\n");
    scheduler_.becomes(job, slurm::JobState::running);
  };
  const auto again = [&](const std::string& from) {
    const test::WithVariable own("SLURM_JOB_ID", from);
    return retry(out_).points.size();
  };
  stop("1", "other");
  EXPECT_EQ(again("1"), 0U) << "no limit stopped it, but somebody";
  stop("1", "before_limit");
  EXPECT_EQ(again("7"), 0U) << "its job runs, for all that another one knows";
  EXPECT_EQ(again("1"), 1U);
  EXPECT_EQ(taken(), 5);
  EXPECT_TRUE(fs::exists(out_ + "/claims/" + points_[0] + ".resume"));
  EXPECT_EQ(again("1"), 0U) << "its new job waits";
  stop("5", "before_limit");
  EXPECT_EQ(again("5"), 1U);
  EXPECT_EQ(taken(), 6);
}

TEST_F(RetryTest, TheRestOfARunGetsTheLimitThatItNeeds) {
  submit_all();
  auto lines = running_record(points_[0], "1") +
               R"({"table":"parameters","name":"epochs","value":"10","type":"integer","unit":"1"})"
               "\n";
  for (int epoch = 0; epoch < 6; ++epoch) {  // 4 of 100 s are left, and 20 s before the first
    lines += fmt::format(R"({{"table":"epochs","epoch":{},"start_s":{},"wall_s":100}})"
                         "\n",
                         epoch, 20 + 100 * epoch);
  }
  folder_.write("out/records/p-1.jsonl", lines);
  end({"TIMEOUT", "CANCELLED by 7", "CANCELLED by 7", "CANCELLED by 7"});
  const auto done = retry(out_);
  ASSERT_EQ(done.submitted.submitted, 1U);
  EXPECT_THAT(done.lines, ElementsAre(points_[0] + " was lost, resumes: time_limit, limit 11m"))
      << "420 s, the interval, 120 s of the signal's lead and a minute";
  EXPECT_THAT(last_calls(1), ElementsAre("--time=0-00:11:00 "));
}

TEST_F(RetryTest, TheReasonOfTheEndDecidesAboutTheNextJob) {
  submit_all();
  folder_.write("out/records/p-3.jsonl",
                running_record(points_[2], "3") +
                    R"({"table":"allocation","name":"node_list","got":"n7"})"
                    "\n");
  end({"TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "CANCELLED by 7"});
  const auto planned = retry(out_, true);
  EXPECT_EQ(taken(), 4) << "a dry run";
  const auto done = retry(out_);
  EXPECT_EQ(done.lines, planned.lines);
  EXPECT_EQ(done.submitted.submitted, 3U);
  EXPECT_THAT(done.lines,
              ElementsAre(points_[0] + " was missing, resumes: time_limit",
                          points_[1] + " was missing, resumes: out_of_memory, with 1536M",
                          points_[2] + " was lost, resumes: node_failure, not on n7"));
  EXPECT_THAT(last_calls(3), ElementsAre("", "--mem=1536M ", "--exclude=n7 "));
  EXPECT_THAT(read_file(out_ + "/submissions.jsonl"), HasSubstr(R"("reason":"out_of_memory")"));
  EXPECT_TRUE(retry(out_).lines.empty()) << "their next jobs wait";

  end({"", "", "", "", "COMPLETED", "OUT_OF_MEMORY", "OUT_OF_MEMORY"});
  EXPECT_EQ(retry(out_).submitted.submitted, 3U);
  EXPECT_THAT(last_calls(2), ElementsAre("--mem=2G ", "--exclude=n7 --mem=1536M "))
      << "at most 2G, and from what the job had asked for";
  end({"", "", "", "", "", "", "", "FAILED", "OUT_OF_MEMORY", "PREEMPTED"});
  EXPECT_EQ(retry(out_).submitted.submitted, 1U);
  const auto end_of = [&](std::size_t point) {
    const auto next = RetryPolicy(OutFolder(out_)).next(status(out_).points[point]);
    return next ? next->why_not : "no rule";
  };
  end({"", "", "", "", "", "", "", "", "OUT_OF_MEMORY", "PREEMPTED"});
  EXPECT_EQ(end_of(1), "it had 2G, the most that is allowed");
  EXPECT_EQ(end_of(3), "no rule") << "somebody cancelled it";
}

TEST_F(RetryTest, TheNodeOfAJobThatHadNoRecordYetIsLeftOut) {
  submit_all();
  end({"NODE_FAIL", "CANCELLED by 7", "CANCELLED by 7", "CANCELLED by 7"});
  scheduler_.nodes["1"] = "n7";
  EXPECT_THAT(retry(out_).lines,
              ElementsAre(points_[0] + " was missing, resumes: node_failure, not on n7"));
  EXPECT_THAT(last_calls(1), ElementsAre("--exclude=n7 "));
}

TEST_F(RetryTest, ARunThatStoppedBecauseItsScriptWasKilledGoesOnAndOneThatWasAskedToDoesNot) {
  submit_all();
  auto record = running_record(points_[0], "1");
  record.replace(record.find("\"running\""), 9, R"("stopped","cause":"other")");
  folder_.write("out/records/p-1.jsonl", record);
  write_file(out_ + "/claims/" + points_[0], "1\n");
  const auto after = [&](slurm::JobState state, const std::string& reason,
                         const std::string& exit_code) {
    scheduler_.becomes("1", state, reason);
    scheduler_.infos["1"].exit_code = exit_code;
    return retry(out_, true).lines.size();
  };
  using enum slurm::JobState;
  EXPECT_EQ(after(failed, "NonZeroExitCode", "75:0"), 0U) << "its program passed that on";
  EXPECT_EQ(after(completed, "", "0:0"), 0U) << "a step of a plan";
  EXPECT_EQ(after(cancelled, "", "0:15"), 0U);
  EXPECT_EQ(after(running, "", "0:0"), 0U);
  EXPECT_EQ(after(failed, "JobLaunchFailure", "0:9"), 1U) << "Slurm 22.05";
  EXPECT_EQ(after(failed, "RaisedSignal:9(Killed)", "0:9"), 1U);
  EXPECT_EQ(after(failed, "NonZeroExitCode", "1:0"), 1U) << "srun failed";
  const test::WithVariable ended("EPOCHCAST_ENDED", "1 137");
  EXPECT_EQ(after(running, "", ""), 1U) << "its srun was killed";
}

TEST_F(RetryTest, APointThatSomebodyCancelledStaysSoHoweverItsJobEnds) {
  submit_all();
  const auto cancel_first = [&](const std::string& refusal) {
    scheduler_.refuses_cancel = refusal;
    return cancel(OutFolder(out_), {status(out_).points[0]}, Cancel::after_saving);
  };
  const auto submitted = [&](const std::string& end_of_first) {
    end({end_of_first, "CANCELLED by 7", "CANCELLED by 7", "CANCELLED by 7"});
    return retry(out_, true).lines.size();
  };
  EXPECT_EQ(cancel_first("no error message"), "no error message");
  EXPECT_EQ(submitted("TIMEOUT"), 1U) << "Slurm had refused to cancel it";
  EXPECT_EQ(cancel_first(""), "");
  for (const auto* state : {"TIMEOUT", "NODE_FAIL", "PREEMPTED", "FAILED"}) {
    EXPECT_EQ(submitted(state), 0U) << state;
  }
  const auto record = running_record(points_[0], "1");
  folder_.write("out/records/p-1.jsonl", record);
  EXPECT_EQ(submitted("TIMEOUT"), 0U);
  EXPECT_EQ(status(out_).points[0].cause, run::FailureCause::cancelled);
  for (const auto* outcome :
       {R"("failed","cause":"other")", R"("stopped","cause":"before_limit")"}) {
    auto text = record;
    folder_.write("out/records/p-1.jsonl", text.replace(text.find("\"running\""), 9, outcome));
    EXPECT_EQ(submitted("FAILED"), 0U) << outcome;
  }
}

TEST_F(RetryTest, NoPointHasMoreAttemptsThanAllowed) {
  submit_all();
  std::vector<std::string> ends(4, "FAILED");
  for (int attempt = 2; attempt <= 4; ++attempt) {
    end(ends);
    EXPECT_EQ(retry(out_).submitted.submitted, 4U);
    ends.resize(ends.size() + 4, "FAILED");
  }
  EXPECT_FALSE(fs::exists(out_ + "/claims/" + points_[0] + ".resume")) << "restart";
  end(ends);
  EXPECT_EQ(retry(out_).submitted.submitted, 0U);
  EXPECT_EQ(taken(), 16);
  EXPECT_EQ(RetryPolicy(OutFolder(out_)).next(status(out_).points[0])->why_not, "4 attempts of 4");
}

TEST_F(RetryTest, AJobThatEndsSubmitsWhatASubmitLeftOut) {
  scheduler_.fault = Fault::kills_caller;
  EXPECT_THROW(std::ignore = submit({.out = out_, .filters = {}, .points = {}, .keep = true}),
               Fault);
  ASSERT_EQ(taken(), 1);
  scheduler_.fault = Fault::none;
  EXPECT_EQ(retry(out_).submitted.submitted, 3U);
  EXPECT_EQ(taken(), 4);
  EXPECT_EQ(retry(out_).submitted.submitted, 0U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(RetryTest, TheEndingJobKnowsThatItsProgramWasKilledForItsMemory) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  scheduler_.becomes("1", slurm::JobState::running);
  scheduler_.infos["1"].step_out_of_memory = true;
  EXPECT_TRUE(retry(out_).lines.empty()) << "another job cannot know";
  const test::WithVariable ended("EPOCHCAST_ENDED", "1 137");
  EXPECT_THAT(retry(out_).lines,
              ElementsAre(points_[0] + " was lost, resumes: out_of_memory, with 1536M"));
  EXPECT_THAT(read_file(out_ + "/records/p-1.jsonl"), HasSubstr(R"("cause":"out_of_memory")"));
  EXPECT_EQ(read_file(out_ + "/claims/" + points_[0] + ".memory"), "1536M\n");
}

}  // namespace
}  // namespace epochcast::jobs
