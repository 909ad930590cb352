// A campaign that nobody watches: jobs that end in every way that `retry:` is about, and, with
// EPOCHCAST_LONG, 200 random kills. The program counts its epochs in a file, which is also its
// checkpoint.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;

constexpr const char* work = R"sh(#!/bin/bash
# work.sh FOLDER KIND REPEAT EPOCHS [resume]
folder=$1 kind=$2 repeat=$3 epochs=$4
mkdir -p "$folder" && touch "$folder/epochs"
[ -n "${5:-}" ] || : >"$folder/epochs"
trap 'exit 75' USR1 # Slurm signals the whole step: a 0 here can come before epochcast-run has seen its own
for ((e = $(wc -l <"$folder/epochs") + 1; e <= epochs; ++e)); do
  case $kind.$e in
    memory.3) data=$(head -c 50000000 /dev/zero | tr '\0' x) ;;
    greedy.2) data=$(head -c 400000000 /dev/zero | tr '\0' x) ;;
    crash.2)
      if [ "$repeat" = 0 ] || [ ! -e "$folder/crashed" ]; then touch "$folder/crashed"; exit 3; fi ;;
  esac
  sleep 1 &
  wait $!
  echo "$e $SLURM_JOB_ID" >>"$folder/epochs"
  echo "Epoch $e/$epochs"
done
)sh";

class SlurmRetry : public SlurmLab {
 protected:
  SlurmRetry() {
    cgroups_ = std::filesystem::exists("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  }

  /// Five kinds of run on two allocations, each `repeats` times.
  void generate(int repeats, int epochs, int attempts, const std::string& failed) {
    write("work.sh", work);
    const std::string kinds = cgroups_ ? "memory, greedy" : "plain2, plain3";
    write("experiment.yaml",
          fmt::format("name: campaign\ncommand: [bash, {}, '{{work}}', '{{kind}}', '{{repeat}}', "
                      "'{{epochs}}']\nresume: [resume]\ncheckpoint_signal: USR1\nrepeats: {}\n"
                      "sweep: {{zip: {{kind: [plain, long, crash, {}], epochs: [{}, {}, {}, {}, "
                      "{}]}}}}\n"
                      "retry: {{timeout: resume, out_of_memory: {{memory: 1.5x, most: 220M}}, "
                      "failed: {}, attempts: {}}}\n",
                      home("work.sh").string(), repeats, kinds, epochs, std::max(epochs, 75),
                      epochs, epochs, epochs, failed, attempts));
    write("site.yaml",
          "scheduler: slurm\n"
          "defaults: {account: csc101, cpus: 8, memory: 90M, time: 1m, signal_lead: 10s}\n"
          "allocations:\n"
          "  cpu: {partition: teaching, retry: {node_failure: {exclude_node: true}}}\n"
          "  scavenge: {partition: dgx, qos: scavenge, retry: {preempted: requeue}}\n");
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  }

  /// A submit that is killed after its third job: the jobs that end submit the others.
  void submit_and_be_killed() {
    fake("sbatch", R"sh(/usr/bin/sbatch "$@"
echo x >>~/calls
[ "$(wc -l <~/calls)" != 3 ] || kill -KILL $PPID
)sh");
    EXPECT_NE(alice("PATH=$HOME/bin:$PATH epochcast-jobs submit out").status, 0);
  }

  std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  /// Jobs of `allocation` that run now; waits until there is one.
  std::string node_of_a_job(const std::string& partition) {
    return first_line(must("until n=$(squeue -h -t running -p " + partition +
                           " -o %N | head -n 1) && [ -n \"$n\" ]; do sleep 0.5; done; echo $n"));
  }

  /// A node of "teaching" where a job runs whose record has begun, which names the node.
  std::string node_with_a_record() {
    return first_line(
        must("until n=$(squeue -h -t running -p teaching -o '%N %A' | while read -r node job; do "
             "! grep -qs '\"node_list\".*\"'$node'\"' out/records/*-$job.jsonl || echo $node; "
             "done | head -n 1) && [ -n \"$n\" ]; do sleep 0.5; done; echo $n"));
  }

  /// Until a job was preempted: those that run may end first.
  void preempt_one() {
    const auto preempted = [&] {
      return must("sacct -D -n -P -X -S 2020-01-01 -E now -o State").find("PREEMPTED") !=
             std::string::npos;
    };
    for (int i = 0; i < 5 && !preempted(); ++i) {
      node_of_a_job("dgx");
      preempt();
      for (int wait = 0; wait < 15 && !preempted(); ++wait) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
    }
  }

  void preempt() {
    shell_as_carol(
        "sbatch -A research -q high -p dgx -N 2 --exclusive -t 1 -o /dev/null --wrap "
        "'sleep 3'");
  }

  void shell_as_carol(const std::string& command) {
    root("su carol -s /bin/bash -c \"cd /tmp && " + command + "\"");
  }

  /// Nobody types a command: only the queue is looked at.
  void wait_for_empty_queue(int timeout_s) {
    const auto end = Clock::now() + std::chrono::seconds(timeout_s);
    for (int empty = 0; empty < 3 && Clock::now() < end;) {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      const auto queue = alice("squeue -h -u alice");
      empty = queue.ok() && queue.out.empty() ? empty + 1 : 0;
    }
    EXPECT_EQ(must("squeue -h -u alice"), "") << "after " << timeout_s << " s";
  }

  /// What the journal says: number of released claims by reason.
  std::map<std::string, int> reasons() {
    std::map<std::string, int> counts;
    std::ifstream file(home("out/submissions.jsonl"));
    for (std::string line; std::getline(file, line);) {
      const auto event = nlohmann::json::parse(line, nullptr, false);
      if (event.is_object() && event.value("event", "") == "released") {
        ++counts[event.value("reason", "")];
      }
    }
    return counts;
  }

  /// Each point is complete exactly once with all its epochs, or has ended with its reason.
  void expect_every_point_ended(int attempts_allowed) {
    std::map<std::string, int> complete;
    std::map<std::string, int> attempts;
    for (const auto& [name, header] : headers("out")) {
      ++attempts[header.point.str()];
      complete[header.point.str()] += header.outcome.str() == "complete" ? 1 : 0;
    }
    const auto index = must("tail -n +2 out/jobs.csv");
    const auto states = status("out");
    int ended = 0;
    for (const auto& [point, status] : states) {
      const auto row =
          index.substr(index.find(point), index.find('\n', index.find(point)) - index.find(point));
      const bool never =
          row.find("greedy") != std::string::npos ||
          (row.find("crash") != std::string::npos && point.find(".r0-") != std::string::npos);
      EXPECT_EQ(status.state, never ? "failed" : "complete")
          << row << "\n"
          << status.reason << "\n"
          << must(
                 "sacct -D -n -P -X -S 2020-01-01 -E now -o "
                 "JobID,State,ExitCode,Start,End,NodeList "
                 "--name=" +
                 point + "; grep -h " + point + " out/submissions.jsonl; tail -n 40 out/logs/" +
                 point + "-*.out");
      EXPECT_EQ(complete[point], never ? 0 : 1) << row;
      EXPECT_LE(attempts[point], attempts_allowed) << row;
      ended += never ? 1 : 0;
      if (!never) {
        expect_epochs(point);
      }
    }
    fmt::print("{} points, {} complete, {} attempts, reasons:", states.size(),
               states.size() - static_cast<std::size_t>(ended), headers("out").size());
    for (const auto& [reason, count] : reasons()) {
      fmt::print(" {} {}", reason, count);
    }
    fmt::print("\n");
  }

  /// The lines 1, 2, 3, ... up to the last.
  void expect_epochs(const std::string& point) {
    std::ifstream file(home("out/work/" + point + "/epochs"));
    int expected = 1;
    int epoch = 0;
    for (std::string job; file >> epoch >> job; ++expected) {
      EXPECT_EQ(epoch, expected) << point;
    }
    const auto from = point.find(".e") + 2;
    EXPECT_EQ(expected - 1, std::stoi(point.substr(from))) << point;
  }
};

TEST_F(SlurmRetry, ACampaignGoesOnByItselfWhateverEndsItsJobs) {
  generate(2, 12, 6, "restart");
  submit_and_be_killed();
  node_of_a_job("dgx");  // a job that ended has submitted the others
  const auto node = node_with_a_record();
  lab({"kill-node", node});
  preempt_one();
  wait_for_empty_queue(600);
  lab({"start-node", node});

  expect_every_point_ended(6);
  const auto journal = reasons();
  EXPECT_THAT(journal, Contains(Key("time_limit")));
  EXPECT_THAT(journal, Contains(Key("node_failure")));
  EXPECT_THAT(journal, Contains(Key("other")));
  if (cgroups_) {
    EXPECT_THAT(journal, Contains(Key("out_of_memory")));
    EXPECT_THAT(must("cat out/submissions.jsonl"), HasSubstr(R"("memory":"135M")"));
  }
  EXPECT_THAT(must("cat out/submissions.jsonl"), HasSubstr("\"exclude\":\"" + node + "\""));
  EXPECT_THAT(must("sacct -D -n -P -X -S 2020-01-01 -E now -o State"), HasSubstr("PREEMPTED"))
      << "it may have ended by itself before Slurm started it again";
  EXPECT_THAT(alice("epochcast-jobs status out").err, HasSubstr("is not submitted again after"));
}

TEST_F(SlurmRetry, ARunWhoseScriptWasKilledGoesOnAndOneThatWasCancelledDoesNot) {
  write("work.sh", work);
  write("experiment.yaml",
        fmt::format("name: ends\ncommand: [bash, {}, '{{work}}', '{{kind}}', '0', '{{epochs}}']\n"
                    "resume: [resume]\ncheckpoint_signal: USR1\n"
                    "sweep: {{zip: {{kind: [longer, other], epochs: [15, 8]}}}}\n"
                    "retry: {{timeout: resume, failed: resume}}\n",
                    home("work.sh").string()));
  write("site.yaml",
        "scheduler: slurm\n"
        "defaults: {account: csc101, partition: teaching, cpus: 2, memory: 90M, signal_lead: 10s}\n"
        "allocations:\n"
        "  day: {time: 1d}\n"
        "  minute: {time: 1m}\n");  // a stop at any time of it may be one at its limit
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  must("epochcast-jobs submit out");
  wait_for_attempts("out", 4);
  must("epochcast-jobs cancel out --filter allocation=minute --filter kind=longer");
  std::string killed;
  for (const auto& [point, state] : status("out")) {
    if (point.find(".day.e15") != std::string::npos) {
      killed = point;
      root("pkill -KILL -f " + fmt::format("'job0*{}/slurm_scrip[t]'", state.job));
    }
  }
  wait_for_empty_queue(120);
  for (const auto& [point, state] : status("out")) {
    const bool cancelled = point.find(".minute.e15") != std::string::npos;
    EXPECT_EQ(state.state, cancelled ? "stopped" : "complete") << point << ": " << state.reason;
    if (cancelled) {
      EXPECT_THAT(state.reason, HasSubstr("(CANCELLED)"));
    } else {
      expect_epochs(point);
    }
  }
  EXPECT_THAT(headers("out"), SizeIs(5)) << killed << " has a second attempt, and no other point";
}

class SlowSlurmRetry : public SlurmRetry {};

TEST_F(SlowSlurmRetry, ACampaignOf40PointsSurvives200RandomKills) {
  if (std::getenv("EPOCHCAST_LONG") == nullptr) {
    GTEST_SKIP() << "a campaign of a quarter of an hour: EPOCHCAST_LONG=1";
  }
  constexpr int kills = 200;
  generate(4, 120, 40, "resume");
  submit_and_be_killed();
  // Kills that take the only three jobs leave none that could submit the others.
  must("until [ \"$(grep -c '\"submitted\"' out/submissions.jsonl)\" -ge 40 ]; do sleep 1; done");
  std::mt19937 random(39);  // NOLINT(*-msc51-cpp): the same kinds in the same order
  std::map<std::string, int> done;
  const auto kill_one = [&](const std::string& pattern) {
    return root("p=$(pgrep -f '" + pattern +
                "' | shuf -n 1); [ -z \"$p\" ] || { kill -KILL $p "
                "2>/dev/null && echo killed; }; true")
        .starts_with("killed");
  };
  int killed = 0;
  for (const auto end = Clock::now() + std::chrono::minutes(20);
       killed < kills && Clock::now() < end;) {
    const auto what = std::uniform_int_distribution(0, 99)(random);
    std::string name;
    if (what < 4) {
      name = "controller";
      lab({"stop", "slurmctld"});
      lab({"start", "slurmctld"});
    } else if (what < 6) {
      const auto node = first_line(must("squeue -h -t running -p teaching -o %N"));
      if (!node.empty()) {  // else all of its jobs wait for a program that was killed
        name = "node";
        lab({"kill-node", node});
        lab({"start-node", node});
      }
    } else if (what < 8) {
      name = "preemption";
      preempt();
    } else if (what < 45 && kill_one("epochcast-jobs resubmi[t]")) {
      name = "submitting program";
    } else if (what < 65 && kill_one("slurm_scrip[t]")) {
      name = "script";
    } else if (what < 85 && kill_one("epochcast-ru[n]")) {
      name = "runner";
    } else if (kill_one("work.s[h]")) {
      name = "program";
    }
    if (!name.empty()) {
      ++done[name];
      ++killed;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_EQ(killed, kills) << "none of them after the last job that can see it";
  for (const auto& [name, count] : done) {
    fmt::print("{}: {} kills\n", name, count);
  }
  wait_for_empty_queue(1200);
  expect_every_point_ended(40);
}

}  // namespace
}  // namespace epochcast
