// The message of the end of an experiment: once, and not before.
#include "jobs/submit/notify.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "jobs/campaign/journal.hpp"
#include "jobs/local/local_runner.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::CampaignTest;
using test::running_record;
using test::WithVariable;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Each message becomes a file FAKE/sent-N.
constexpr const char* keep_message =
    R"sh(n=$(ls "$FAKE"/sent-* 2>/dev/null | wc -l); cat >"$FAKE/sent-$((n + 1))")sh";

class NotifyTest : public CampaignTest {
 protected:
  NotifyTest() {
    fs::create_directories(folder_ / "fake");
    make("");
  }

  void make(const std::string& more, const std::string& command = keep_message) {
    folder_.write("bin/notifier", "#!/bin/sh\n" + command + "\n", true);
    CampaignTest::make(
        "name: x\nsweep: {epochs: [1, 2]}\nallocations: [a]\nnotify: {command: notifier}\n" + more);
  }

  /// The record of a job that has ended so.
  void end(const std::string& job, std::size_t point, const std::string& outcome,
           const std::string& more = "") {
    auto text = running_record(points_.at(point), job);
    text.replace(text.find("\"running\""), 9, "\"" + outcome + "\"" + more);
    folder_.write("out/records/p-" + job + ".jsonl", text);
    leave_queue(job);
  }
  void leave_queue(const std::string& job, slurm::JobState state = slurm::JobState::completed) {
    scheduler_.becomes(job, state);
  }

  std::size_t sent() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "fake")) {
      count += entry.path().filename().string().starts_with("sent-") ? 1 : 0;
    }
    return count;
  }
  std::string message() const { return read_file(folder_ / "fake/sent-1"); }

  void look() {
    notify_if_ended(out_, [&](const std::string& line) { said_ += line + "\n"; });
  }
  /// As the script of `job`, whose program has ended with `status`.
  bool ends(const std::string& job, const std::string& status = "1") {
    const WithVariable ended("EPOCHCAST_ENDED", job + " " + status);
    const WithVariable own("SLURM_JOB_ID", job);
    return notify_at_end(out_, [&](const std::string& line) { said_ += line + "\n"; });
  }

  /// One point, whose end is told by `command`.
  void make_one(const std::string& command) {
    CampaignTest::make("name: x\nallocations: [a]\nnotify:\n  command: >-\n    " + command + "\n");
  }
  void make_of_earlier_version() {
    make_one("notifier");
    auto origin = read_file(out_ + "/generate.json");
    const std::string now = R"(\"command\": \"notifier\")";
    const auto at = origin.find(now);
    ASSERT_NE(at, std::string::npos) << origin;
    origin.replace(at, now.size(),
                   R"(\"mail\": \"a@b.c, d@e.f\", )"
                   R"(\"webhook\": \"https://hooks.slack.com/services/T/B/x\")");
    folder_.write("out/generate.json", origin);
  }
  /// Its job is submitted and ends; then `before`, and a look.
  void submit_one(const std::function<void()>& before = [] {}) {
    submit_all();
    end("1", 0, "complete");
    before();
    look();
  }

  WithVariable path_{"PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")};
  WithVariable fake_{"FAKE", folder_ / "fake"};
  std::string said_;
};

TEST_F(NotifyTest, OneMessageIsSentWhenTheLastPointHasEnded) {
  look();
  submit_all();
  look();
  end("1", 0, "complete");
  look();
  EXPECT_EQ(sent(), 0U) << "one waits";
  end("2", 1, "failed", R"(,"outcome_text":"exit 3","cause":"other")");
  look();
  ASSERT_EQ(sent(), 1U) << said_;
  EXPECT_THAT(message(), AllOf(HasSubstr("Experiment 'x' on 'c' has ended.\n"),
                               HasSubstr("2 points: 1 complete, 1 failed\n"),
                               HasSubstr(":" + out_ + "\n"), HasSubstr("2 attempts\n"),
                               HasSubstr(points_[1] + ": failed: other: exit 3\n")));
  const auto fields = nlohmann::json::parse(read_file(out_ + "/message.json"));
  EXPECT_EQ(fields.at("schema"), "epochcast-message/1");
  EXPECT_EQ(fields.at("complete"), 1);
  EXPECT_EQ(fields.at("not_complete")[0].at("point"), points_[1]);
  EXPECT_EQ(fields.at("text"), message());
  look();
  EXPECT_TRUE(ends("2"));
  EXPECT_EQ(sent(), 1U);
  std::ignore = resubmit({.out = out_, .filters = {}, .points = {}}, {.failed = true});
  look();
  EXPECT_EQ(sent(), 1U) << "it goes on";
  end("3", 1, "complete");
  look();
  EXPECT_EQ(sent(), 2U);
}

TEST_F(NotifyTest, NothingIsSentWhileAPointCanHaveAFurtherAttempt) {
  make("retry: {failed: restart, attempts: 2}\n");
  submit_all();
  end("1", 0, "complete");
  end("2", 1, "failed", R"(,"cause":"other")");
  look();
  EXPECT_TRUE(ends("2"));
  EXPECT_EQ(sent(), 0U);
  EXPECT_EQ(retry(out_).submitted.submitted, 1U);
  look();
  end("3", 1, "failed", R"(,"cause":"other")");
  look();
  ASSERT_EQ(sent(), 1U);
  EXPECT_THAT(message(), HasSubstr("failed: other; 2 attempts of 2\n"));
}

TEST_F(NotifyTest, PointsThatWereNotAskedForDoNotKeepItWaiting) {
  std::ignore = submit({.out = out_, .filters = {"epochs=1"}, .points = {}});
  end("1", 0, "complete");
  look();
  EXPECT_EQ(sent(), 1U);
  submit_all();
  look();
  EXPECT_EQ(sent(), 1U);
  end("2", 1, "complete");
  look();
  EXPECT_EQ(sent(), 2U);
}

TEST_F(NotifyTest, APointThatTheSiteDidNotAcceptYetKeepsItWaiting) {
  Journal(out_ + "/submissions.jsonl").want(points_);  // by a submit that was killed after a job
  std::ignore = submit({.out = out_, .filters = {"epochs=1"}, .points = {}});
  end("1", 0, "complete");
  look();
  EXPECT_EQ(sent(), 0U);
}

TEST_F(NotifyTest, OfTwoJobsThatEndAtTheSameTimeTheLaterOneSends) {
  submit_all();
  end("1", 0, "failed", R"(,"cause":"other")");
  end("2", 1, "failed", R"(,"cause":"other")");
  leave_queue("1", slurm::JobState::running);
  leave_queue("2", slurm::JobState::running);
  Journal(out_ + "/submissions.jsonl").end("2");
  int looks = 0;
  scheduler_.while_asked = [&] {
    if (++looks > 1) {
      leave_queue("2");
    }
  };
  EXPECT_TRUE(ends("1")) << "waits for job 2, which began to end before it";
  EXPECT_EQ(sent(), 1U) << said_;
}

TEST_F(NotifyTest, AJobThatEndsWhileAnotherRunsLeavesAtOnce) {
  submit_all();
  end("1", 0, "complete");
  end("2", 1, "complete");
  leave_queue("2", slurm::JobState::running);
  folder_.write("out/records/p-2.jsonl", running_record(points_[1], "2"));
  EXPECT_TRUE(ends("1"));
  EXPECT_EQ(sent(), 0U) << "job 2 runs";
}

TEST_F(NotifyTest, WhatFailsIsSaidAndTriedThreeTimes) {
  make("", "echo no network >&2; exit 7");
  submit_all();
  end("1", 0, "complete");
  end("2", 1, "complete");
  EXPECT_FALSE(ends("2"));
  EXPECT_EQ(said_, "notify: command: not sent: exit 7: no network\n");
  EXPECT_THAT(read_file(out_ + "/submissions.jsonl"),
              HasSubstr(R"("problem":"exit 7: no network")"));
  folder_.write("bin/notifier", std::string("#!/bin/sh\n") + keep_message + "\n", true);
  look();
  EXPECT_EQ(sent(), 1U) << "a later command, perhaps on a node with a network";
  look();
  EXPECT_EQ(sent(), 1U);
  make("", "echo no network >&2; exit 7");
  submit_all();
  end("3", 0, "complete");
  end("4", 1, "complete");
  for (int i = 0; i < 5; ++i) {
    look();
  }
  const auto journal = read_file(out_ + "/submissions.jsonl");
  std::size_t tries = 0;
  for (auto at = journal.find("\"notified\""); at != std::string::npos;
       at = journal.find("\"notified\"", at + 1)) {
    ++tries;
  }
  EXPECT_EQ(tries, 3U);
}

TEST_F(NotifyTest, WhatAKilledProcessWasSendingIsNotSentAgain) {
  submit_all();
  end("1", 0, "complete");
  end("2", 1, "complete");
  Journal(out_ + "/submissions.jsonl").notify("command notifier");
  look();
  EXPECT_EQ(sent(), 0U) << "it may have arrived";
}

TEST_F(NotifyTest, TheSubjectAndTheFieldsAreThereForMailAndCurl) {
  folder_.write("bin/mail", "#!/bin/sh\n{ printf '%s\\n' \"$@\"; cat; } >$FAKE/mailed\n", true);
  folder_.write("bin/curl", "#!/bin/sh\nprintf '%s\\n' \"$@\" >$FAKE/posted\n", true);
  make_one(R"(mail -s "$EPOCHCAST_SUBJECT" a@b.c && curl --data-binary @"$EPOCHCAST_JSON")");
  submit_one();
  EXPECT_EQ(said_, "notify: command: sent\n");
  EXPECT_THAT(read_file(folder_ / "fake/mailed"),
              testing::StartsWith("-s\nx has ended: 1 of 1 point complete\na@b.c\nExperiment 'x'"));
  EXPECT_EQ(read_file(folder_ / "fake/posted"), "--data-binary\n@" + out_ + "/message.json\n");
}

TEST_F(NotifyTest, WhatATerminalOrAReaderWouldTakeForSomethingElseIsVisible) {
  folder_.write("bin/notifier", "#!/bin/sh\n{ echo \"$EPOCHCAST_SUBJECT\"; cat; } >$FAKE/sent-1\n",
                true);
  CampaignTest::make(
      R"(name: "-a\x1b]0;t\x07\u202eb\t'$(touch pwned)`"
allocations: [a]
notify: {command: notifier}
)");
  submit_all();
  end("1", 0, "failed", R"x(,"outcome_text":"\u001b[2J\n\u202e<b>\ud83d\ude00 'x' $(false)")x");
  look();
  ASSERT_EQ(said_, "notify: command: sent\n");
  EXPECT_THAT(message(), testing::StartsWith(
                             R"(-a\x1b]0;t\x07\u202eb\x09'$(touch pwned)` has ended: 0 of 1 )"));
  EXPECT_THAT(message(), HasSubstr(R"(\x1b[2J\n\u202e<b>)"));
  EXPECT_EQ(std::ranges::count(message(), '\n'), 6) << message();
  const auto fields = nlohmann::json::parse(read_file(out_ + "/message.json"));
  EXPECT_THAT(fields.at("experiment"), testing::StartsWith("-a\x1b]0;t\x07\u202e"));
}

TEST_F(NotifyTest, AFolderOfAnEarlierVersionSendsByItsWays) {
  folder_.write("bin/mail", "#!/bin/sh\n{ printf '%s\\n' \"$@\"; cat; } >$FAKE/mailed\n", true);
  folder_.write("bin/curl", "#!/bin/sh\n{ printf '%s\\n' \"$@\"; cat; } >$FAKE/posted\n", true);
  make_of_earlier_version();
  submit_one();
  EXPECT_EQ(said_, "notify: command: sent\n");
  EXPECT_THAT(read_file(folder_ / "fake/mailed"),
              testing::StartsWith("-s\nx has ended: 1 of 1 point complete\na@b.c, d@e.f\nExp"));
  EXPECT_THAT(read_file(folder_ / "fake/posted"),
              AllOf(HasSubstr("@" + out_ + "/message.json"),
                    testing::EndsWith("\nurl = \"https://hooks.slack.com/services/T/B/x\"\n")));
}

TEST_F(NotifyTest, WhatAnEarlierVersionHasSentIsNotSentAgain) {
  make_of_earlier_version();
  submit_one([&] {
    Journal journal(out_ + "/submissions.jsonl");
    journal.notify("mail a@b.c, d@e.f");
    journal.notified("mail a@b.c, d@e.f", "");
  });
  EXPECT_EQ(said_, "");
}

TEST_F(NotifyTest, ACopyOfTheFolderSendsNothing) {
  submit_all();
  end("1", 0, "complete");
  end("2", 1, "complete");
  fs::copy(out_, folder_ / "copy", fs::copy_options::recursive);
  notify_if_ended(folder_ / "copy", [&](const std::string& line) { said_ += line; });
  EXPECT_EQ(said_, "");
  EXPECT_EQ(sent(), 0U);
}

TEST_F(NotifyTest, ATestIsSentAtAnyTimeAndLeavesTheMessageToCome) {
  const auto tell = [&](const std::string& line) { said_ += line; };
  EXPECT_TRUE(notify_test(out_, tell));
  EXPECT_THAT(message(), testing::StartsWith("This is a test"));
  submit_all();
  end("1", 0, "complete");
  end("2", 1, "complete");
  look();
  EXPECT_EQ(sent(), 2U);
}

TEST_F(NotifyTest, ALocalRunSendsItAtItsEnd) {
  fs::remove_all(out_);
  folder_.write("train", test::fake_trainer, true);
  const auto cluster =
      folder_.write("l.yaml",
                    "scheduler: local\ndefaults: {trainer: ./train, time: 1h, notify: {command: "
                    "notifier}}\nallocations:\n  a: {cpus: 1}\n");
  generate({(folder_ / "x.yaml").string(), cluster, out_, {}, {}});
  const auto run = [&] {
    return run_here({.out = out_, .filters = {}}, [&](const std::string&) { look(); });
  };
  EXPECT_EQ(run().complete, 2U);
  EXPECT_EQ(sent(), 0U) << "while it runs";
  look();
  EXPECT_EQ(sent(), 1U) << said_;
  EXPECT_THAT(message(), HasSubstr("2 points: 2 complete\n"));
  EXPECT_EQ(run().complete, 2U) << "nothing is left to run";
  look();
  EXPECT_EQ(sent(), 1U);
}

TEST(Notify, BadValuesAreRefused) {
  const auto error = [](const std::string& text) {
    return test::error_of([&] {
      Notify notify;
      read_notify(run::yaml::parse_text("notify: " + text, "x.yaml").map.front().second, notify);
    });
  };
  EXPECT_EQ(error("{command: cat}"), "");
  EXPECT_EQ(error("{mail: you@site.edu}"),
            "x.yaml:1: notify.mail is no longer supported; use notify.command: mail -s "
            "\"$EPOCHCAST_SUBJECT\" ...");
  EXPECT_THAT(
      error("{webhook: https://hooks.slack.com/secret}"),
      AllOf(HasSubstr("notify.webhook is no longer supported; use notify.command: printf 'url = "),
            Not(HasSubstr("secret"))));
  EXPECT_THAT(error("{comand: x}"),
              HasSubstr("notify: unknown key 'comand'; did you mean 'command'"));
  EXPECT_THAT(error("you@site.edu"), HasSubstr("expected 'none', or a group of keys such as"));
}

}  // namespace
}  // namespace epochcast::jobs
