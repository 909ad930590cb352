// The message of the end of an experiment on a real Slurm: one, also with retry and packs, where no
// job could send it, and where its sender is killed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "src/base/core/files.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* work = R"sh(#!/bin/bash
# work.sh FOLDER KIND: "once" fails at its first attempt, "bad" at each, "long" takes ten minutes
mkdir -p "$1"
for e in 1 2 3; do sleep 1; echo "Epoch $e/3"; done
case $2 in
  bad) exit 3 ;;
  once) [ -e "$1/tried" ] || { touch "$1/tried"; exit 4; } ;;
  long) sleep 600 ;;
esac
)sh";

class SlurmNotify : public SlurmLab {
 protected:
  /// Each message becomes a file in alice's folder "told".
  void submit(const std::string& kinds, const std::string& more, const std::string& first = "") {
    write("work.sh", work);
    write("told.sh", first + "cat >$(mktemp " + home("told").string() + "/XXXXXX)\n");
    must("mkdir told");
    write("experiment.yaml",
          fmt::format("name: campaign\ncommand: [bash, {}, '{{work}}', '{{kind}}']\nepochs: 3\n"
                      "sweep: {{kind: [{}]}}\nnotify: {{command: 'sh {}'}}\n{}\n",
                      home("work.sh").string(), kinds, home("told.sh").string(), more));
    write("site.yaml",
          "scheduler: slurm\n"
          "defaults: {account: csc101, cpus: 1, memory: 90M, time: 5m, signal_lead: 10s}\n"
          "allocations:\n  cpu: {partition: teaching}\n");
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
    must("epochcast-jobs submit out");
  }

  /// Nobody types a command: only the queue is looked at.
  void wait_for_queue_of(std::size_t jobs) {
    for (int i = 0; i < 60; ++i) {
      const auto queue = must("squeue -h -u alice -o %i");
      if (std::size_t(std::ranges::count(queue, '\n')) <= jobs) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    ADD_FAILURE() << must("squeue -u alice");
  }

  std::vector<std::string> messages() {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(home("told"))) {
      texts.push_back(read_file(entry.path()));
    }
    return texts;
  }
  std::string logs() { return must("cat out/logs/* out/submissions.jsonl"); }
};

TEST_F(SlurmNotify, SlowTheLastAttemptOfTheLastPointSendsOneMessage) {
  submit("a, b, c, once, bad", "retry: {failed: restart, attempts: 2}");
  wait_for_queue_of(0);
  ASSERT_EQ(messages().size(), 1U) << logs();
  EXPECT_THAT(messages()[0],
              AllOf(HasSubstr("5 points: 4 complete, 1 failed\n"), HasSubstr(", 7 attempts\n"),
                    HasSubstr("exit status 3; 2 attempts of 2\n")));
  EXPECT_NE(alice("epochcast-jobs status out").status, 2);
  EXPECT_EQ(messages().size(), 1U);
}

TEST_F(SlurmNotify, SlowAPackSendsOneMessageAtItsEnd) {
  submit("a, b, once, bad",
         "retry: {failed: restart, attempts: 2}\npack: {points: 4, parallel: 2}");
  wait_for_queue_of(0);
  ASSERT_EQ(messages().size(), 1U) << logs();
  EXPECT_THAT(messages()[0], HasSubstr("4 points: 3 complete, 1 failed\n"));
}

TEST_F(SlurmNotify, SlowWhereNoJobCouldTheNextCommandDoes) {
  submit("a, long", "");
  wait_for_queue_of(1);
  EXPECT_EQ(messages().size(), 0U) << logs();
  must("scancel --batch --signal=KILL $(squeue -h -u alice -o %i)");
  wait_for_queue_of(0);
  EXPECT_EQ(messages().size(), 0U) << logs();
  EXPECT_THAT(alice("epochcast-jobs status out").err, HasSubstr("notify: command: sent"));
  alice("epochcast-jobs status out");
  ASSERT_EQ(messages().size(), 1U) << logs();
  EXPECT_THAT(messages()[0], HasSubstr("2 points: 1 complete, 1 stopped\n"));
}

TEST_F(SlurmNotify, SlowAKillInTheMiddleMakesNoSecondMessage) {
  submit("a, b", "", "kill -KILL $(cut -d' ' -f4 /proc/$PPID/stat)\n");
  wait_for_queue_of(0);
  ASSERT_EQ(messages().size(), 1U) << logs();
  EXPECT_THAT(logs(), HasSubstr("Killed"));
  alice("epochcast-jobs status out");
  EXPECT_EQ(messages().size(), 1U) << logs();
}

}  // namespace
}  // namespace epochcast
