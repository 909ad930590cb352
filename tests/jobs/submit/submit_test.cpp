// Each point gets one job, whatever happens between us and Slurm.
#include "jobs/submit/submit.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "jobs/campaign/journal.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/fake_slurm.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::CampaignTest;
using test::error_of;
using test::SubmitTest;
using testing::HasSubstr;

TEST_F(CampaignTest, EveryPointGetsOneJobHoweverOftenItIsCalled) {
  EXPECT_EQ(submit_all().submitted, 4U);
  const auto again = submit_all();
  EXPECT_EQ(again.submitted, 0U);
  EXPECT_EQ(again.had, 4U);
  EXPECT_EQ(taken(), 4);
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[1]), "2");
}

TEST_F(CampaignTest, ADryRunCallsNothing) {
  EXPECT_EQ(submit({.out = out_, .filters = {}, .points = {}, .dry_run = true}).commands.size(),
            4U);
  EXPECT_TRUE(scheduler_.requests.empty());
  EXPECT_FALSE(fs::exists(out_ + "/submissions.jsonl"));
}

TEST_F(CampaignTest, AFilterChoosesPoints) {
  EXPECT_EQ(submit({.out = out_, .filters = {"allocation=b", "epochs=2"}, .points = {}}).submitted,
            1U);
  EXPECT_EQ(
      error_of([&] { std::ignore = submit({.out = out_, .filters = {"epoch=2"}, .points = {}}); }),
      "--filter: unknown column 'epoch'; did you mean 'epochs'?");
}

TEST_F(CampaignTest, AHeldJobIsPendingAndSaysWhy) {
  submit_all();
  scheduler_.becomes("1", slurm::JobState::requeue_hold, "JobHoldMaxRequeue");
  scheduler_.becomes("2", slurm::JobState::special_exit);
  scheduler_.becomes("3", slurm::JobState::suspended);
  const auto points = status(out_).points;
  EXPECT_EQ(points[0].state, PointState::pending);
  EXPECT_EQ(points[0].reason, "REQUEUE_HOLD, JobHoldMaxRequeue");
  EXPECT_EQ(points[1].state, PointState::pending);
  EXPECT_EQ(points[1].reason, "SPECIAL_EXIT");
  EXPECT_EQ(points[2].state, PointState::running);
  EXPECT_EQ(points[2].reason, "SUSPENDED");
  EXPECT_EQ(points[3].reason, "Priority");
}

TEST_F(CampaignTest, AControllerThatIsDownLosesNothing) {
  scheduler_.fault = Fault::down;
  EXPECT_THAT(error_of([&] { submit_all(); }),
              HasSubstr("Unable to contact slurm controller (connect failure) (0 points submitted "
                        "before it); nothing is lost"));
  EXPECT_THAT(error_of([&] { submit_all(); }), HasSubstr("the controller does not answer"))
      << "the open intent cannot be settled either";
  scheduler_.fault = Fault::none;
  EXPECT_EQ(submit_all().submitted, 4U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(CampaignTest, ALostAnswerIsFoundAgainByItsToken) {
  scheduler_.fault = Fault::loses_answer;
  EXPECT_THAT(error_of([&] { submit_all(); }), HasSubstr("Socket timed out"));
  EXPECT_EQ(taken(), 1);
  scheduler_.fault = Fault::none;
  const auto report = submit_all();
  EXPECT_EQ(report.found, 1U);
  EXPECT_EQ(report.submitted, 3U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(CampaignTest, ALostAnswerIsFoundInAccountingWhereTheQueueHasForgottenIt) {
  scheduler_.fault = Fault::loses_answer;
  error_of([&] { submit_all(); });
  scheduler_.jobs.clear();
  scheduler_.accounting_is(
      fmt::format("77|77|COMPLETED|5|0:0|{}|{}|\n", std::time(nullptr), points_[0]));
  scheduler_.fault = Fault::none;
  EXPECT_EQ(submit_all().found, 1U);
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[0]), "77");
}

TEST_F(CampaignTest, AClaimProvesThatALostSubmissionArrived) {
  scheduler_.fault = Fault::loses_answer;
  error_of([&] { submit_all(); });
  scheduler_.jobs.clear();
  write_file(out_ + "/claims/" + points_[0], "88\n");
  scheduler_.fault = Fault::none;
  EXPECT_EQ(submit_all().found, 1U);
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[0]), "88");
}

TEST_F(SubmitTest, ACrashBetweenSubmissionAndAnswerForgetsNoJob) {
  mode("die");  // sbatch takes the job and kills the one that called it
  const pid_t child = fork();
  if (child == 0) {
    submit_all();
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  ASSERT_TRUE(WIFSIGNALED(state));
  ASSERT_EQ(taken(), 1);
  mode("");
  EXPECT_EQ(submit_all().found, 1U);
  EXPECT_EQ(taken(), 4);
}

TEST_F(CampaignTest, AJobAsksForMemoryAndNodesInPlaceOfItsScriptAndTellsIt) {
  const auto words = [&] { return scheduler_.calls().back(); };
  const auto marker = out_ + "/claims/" + points_[0] + ".memory";
  SubmitRequest request{.out = out_, .filters = {}, .points = {points_[0]}};
  request.memory[points_[0]] = {3LL << 29};
  request.exclude[points_[0]] = "n[01,03]";
  EXPECT_EQ(submit(request).submitted, 1U);
  EXPECT_THAT(words(), HasSubstr("--exclude=n01,n03 --mem=1536M "));
  EXPECT_EQ(read_file(marker), "1536M\n");
  EXPECT_THAT(read_file(out_ + "/submissions.jsonl"),
              HasSubstr(R"("exclude":"n[01,03]","memory":"1536M")"));

  // The next job of the point asks for as much, and leaves out those nodes too.
  const auto again = [&](const SubmitRequest& more) {
    Journal(out_ + "/submissions.jsonl").released(points_[0], "1");
    EXPECT_EQ(submit(more).submitted, 1U);
  };
  SubmitRequest plain{.out = out_, .filters = {}, .points = {points_[0]}};
  plain.exclude[points_[0]] = "n07";
  again(plain);
  EXPECT_THAT(words(), HasSubstr("--exclude=n01,n03,n07 --mem=1536M "));

  scheduler_.refuses_exclude = true;
  Journal(out_ + "/submissions.jsonl").released(points_[0], "2");
  EXPECT_EQ(submit(plain).jobs.front().id, "3") << "no other node is left";
  EXPECT_THAT(words(), testing::Not(HasSubstr("--exclude")));
  scheduler_.refuses_exclude = false;

  // Less than the script asks for is for one job only.
  request.memory[points_[0]] = {1LL << 29};
  again(request);
  EXPECT_THAT(words(), HasSubstr("--mem=512M "));
  again(plain);
  EXPECT_THAT(words(), testing::Not(HasSubstr("--mem")));
  EXPECT_FALSE(fs::exists(marker));
  EXPECT_THAT(words(), HasSubstr("--exclude=n01,n03,n07 "));
}

TEST_F(CampaignTest, ARefusalIsReportedOnceForItsAllocationAndTriedAgainLater) {
  scheduler_.fault = Fault::refuses;
  const auto report = submit_all();
  ASSERT_EQ(report.problems.size(), 2U);
  EXPECT_THAT(report.problems[0],
              HasSubstr("Invalid account or account/partition combination "
                        "specified; the other points of 'a' were not submitted"));
  scheduler_.fault = Fault::none;
  EXPECT_EQ(submit_all().submitted, 4U);
}

TEST_F(CampaignTest, ArraysAreCutAtTheSitesLimitWithATableOfPoints) {
  const auto experiment =
      folder_.write("y.yaml", "name: x\nsweep: {epochs: 1..5}\nallocations: [a]\n");
  const auto out = folder_ / "arrays";
  generate({experiment, folder_ / "c.yaml", out, {}, {}});
  const auto report =
      submit({.out = out, .filters = {}, .points = {}, .array = true, .throttle = 2});
  EXPECT_EQ(report.submitted, 5U);
  ASSERT_EQ(report.commands.size(), 2U);
  EXPECT_THAT(report.commands[0], HasSubstr("--array=0-2%2"));
  EXPECT_THAT(report.commands[1], HasSubstr("--array=0-1%2"));
  const auto jobs = Journal(out / "submissions.jsonl").jobs();
  EXPECT_EQ(jobs.size(), 5U);
  EXPECT_THAT(read_file(out / "site.json"), HasSubstr("\"max_array_size\": 3"));
}

TEST_F(CampaignTest, WithoutArraysTheThrottleIsADependency) {
  const auto report = submit({.out = out_, .filters = {}, .points = {}, .throttle = 2});
  EXPECT_THAT(report.commands[1], testing::Not(HasSubstr("--dependency")));
  EXPECT_THAT(report.commands[2], HasSubstr("--dependency=afterany:1 "));
  EXPECT_THAT(report.commands[3], HasSubstr("--dependency=afterany:2 "));
}

TEST_F(CampaignTest, AThrottleIsAWholeNumberFromZeroOn) {
  const std::vector<std::vector<std::string>> calls{{"submit", out_},
                                                    {"resubmit", out_, "--missing"}};
  for (auto words : calls) {
    words.insert(words.begin(), EPOCHCAST_BINARY_DIR "/epochcast-jobs");
    words.insert(words.end(), {"--dry-run", "--throttle", "x"});
    EXPECT_EQ(process::run_command(words, 60).err,
              "epochcast-jobs: error: --throttle: found 'x', expected a whole number\n");
    words.back() = "-3";
    const auto negative = process::run_command(words, 60);
    EXPECT_EQ(negative.err,
              "epochcast-jobs: error: --throttle: found '-3', expected a value >=0\n");
    EXPECT_EQ(negative.status, exit_bad_input);
  }
}

TEST_F(SubmitTest, TheSettingsOfAnEnclosingJobAreNotPassedOn) {
  const test::WithVariable memory("SLURM_MEM_PER_NODE", "100"), account("SBATCH_ACCOUNT", "x"),
      config("SLURM_CONF", "/x");
  submit_all();
  EXPECT_THAT(read_file(folder_ / "fake/inherited"), HasSubstr("SLURM_CONF=/x"));
  EXPECT_THAT(read_file(folder_ / "fake/inherited"),
              testing::Not(testing::AnyOf(HasSubstr("SLURM_MEM"), HasSubstr("SBATCH_"))));
}

}  // namespace
}  // namespace epochcast::jobs
