// Advice as a whole: run times from records of a trainer that only claims its times, waits from
// fakes of Slurm's commands.
#include "jobs/advise/advise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "jobs/advise/advice_table.hpp"
#include "jobs/local/local_runner.hpp"
#include "jobs/plan/plan.hpp"
#include "src/base/process/command.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class AdviseTest : public testing::Test {
 protected:
  AdviseTest() {
    folder_.write("train", test::fake_trainer, true);
    profile("scheduler: local\n");
    request_.generate = {experiment("epochs: 40"), folder_ / "c.yaml", "", {}, {}};
    request_.sources.folders = {out_};
  }
  std::string experiment(const std::string& text) const {
    return folder_.write("x.yaml", "name: x\n" + text + "\n");
  }
  /// Steps of 2 s on `slow` and of 1 s on `fast`.
  void profile(const std::string& first_line) const {
    folder_.write("c.yaml", first_line +
                                "defaults: {trainer: ./train, memory: 1G, time: 12h, signal_lead: "
                                "30s, prices: {currency: SU, cpu_hour: 1}}\n"
                                "allocations:\n"
                                "  slow: {cpus: 1, setup: ['export FAKE_STEP_S=2']}\n"
                                "  fast: {cpus: 1, setup: ['export FAKE_STEP_S=1']}\n");
  }
  /// Makes records of `epochs` on the allocations that `filters` leave.
  void run(int epochs, const std::vector<std::string>& filters = {}) const {
    auto generate_it = request_.generate;
    generate_it.out = out_;
    generate_it.sets = {fmt::format("epochs={}", epochs)};
    generate_it.filters = filters;
    generate(generate_it);
    std::ignore = run_here({.out = out_, .filters = filters}, [](const std::string&) {});
  }

  test::TempFolder folder_;
  std::string out_ = folder_ / "out";
  test::WithVariable own_{"EPOCHCAST_LEDGER", folder_ / "own/ledger.csv"};
  AdviseRequest request_;
};

TEST_F(AdviseTest, ForecastsFromRecordsAndChoosesTheFastest) {
  run(3);
  const auto advice = advise(request_);
  ASSERT_THAT(advice.rows, SizeIs(2));
  const auto& slow = advice.rows[0];
  EXPECT_EQ(slow.run.source, "record");
  EXPECT_EQ(slow.run.recorded_epochs, 3);
  EXPECT_NEAR(slow.run.time_s.value, 801, 8);
  EXPECT_LE(slow.run.time_s.interval_80.low, 801);
  EXPECT_GE(slow.run.time_s.interval_80.high, 801);
  EXPECT_EQ(slow.wait.chosen->source, WaitSource::none);
  EXPECT_EQ(slow.result_s->value, slow.run.time_s.value);
  EXPECT_NEAR(*slow.money, 801.0 / 3600, 0.003);
  EXPECT_EQ(slow.limit_s, 60 * std::ceil((slow.run.time_s.interval_95.high + 90) / 60))
      << "as plan asks";
  EXPECT_TRUE(advice.rows[1].chosen);
  EXPECT_THAT(advice.choice, HasSubstr("choose fast: result in"));
}

TEST_F(AdviseTest, SaysInOneLineHowManyCpusThatRunUsed) {
  run(3);
  EXPECT_THAT(advise(request_).rows[0].run.cpus, IsEmpty()) << "no telemetry";
  for (const auto& entry : std::filesystem::directory_iterator(out_ + "/records")) {
    std::ofstream(entry.path(), std::ios::app)
        << R"({"table":"allocation","name":"cpus","asked":"8","got":"","difference":""})"
        << R"(
{"table":"telemetry","end_s":1,"duration_s":1,"own_cpu_s":2.5}
{"table":"telemetry","end_s":2,"duration_s":1,"own_cpu_s":0.5}
)";
  }
  EXPECT_EQ(advise(request_).rows[0].run.cpus,
            "CPUs: 1.5 of 8 busy (19 %), at most 2.5 at once; data loading took 0 % of the time of "
            "the epochs; ask for 3");
  const auto printed = process::run_command(
      {EPOCHCAST_BINARY_DIR "/epochcast-jobs", "advise", request_.generate.experiment, "--cluster",
       request_.generate.cluster, "--from", out_},
      60);
  EXPECT_THAT(printed.out, HasSubstr("slow: CPUs: 1.5 of 8 busy (19 %), at most 2.5 at once"));
}

TEST_F(AdviseTest, TakesThePilotsOfAPlan) {
  auto with_out = request_.generate;
  with_out.out = out_;
  PlanRequest plan_it;
  plan_it.generate = with_out;
  const auto tell = [](const std::string&) {};
  std::ignore = plan(plan_it, tell);
  std::ignore = run_here({.out = OutFolder(out_).pilots(), .filters = {}}, tell);
  const auto advice = advise(request_);
  EXPECT_EQ(advice.rows[0].run.recorded_epochs, 4);
  EXPECT_THAT(advice.rows[0].run.detail, HasSubstr("/pilots/records/"));
}

TEST_F(AdviseTest, SaysWhatAPilotWouldTellWhereItKnowsNothing) {
  run(3, {"allocation=slow"});
  const auto advice = advise(request_);
  EXPECT_FALSE(advice.rows[1].run.is_known());
  EXPECT_THAT(advice.rows[1].run.detail, HasSubstr("no record of this run on this allocation"));
  EXPECT_TRUE(advice.rows[0].chosen);
  EXPECT_THAT(advice.pilots, Contains(HasSubstr("a pilot of 4 epochs on fast (wait 0s)")));
}

TEST_F(AdviseTest, TakesRecordsOfTheSameAllocationInARenamedProfile) {
  run(3);
  request_.generate.cluster = folder_.write("renamed.yaml", read_file(folder_ / "c.yaml"));
  EXPECT_EQ(advise(request_).rows[0].run.recorded_epochs, 3);
  auto other = read_file(folder_ / "c.yaml");
  other.replace(other.find("memory: 1G"), 10, "memory: 2G");
  request_.generate.cluster = folder_.write("other.yaml", other);
  const auto detail = advise(request_).rows[0].run.detail;
  EXPECT_THAT(detail, HasSubstr("(experiment 'x' on cluster 'c')"));
}

TEST_F(AdviseTest, TakesNoRecordOfOtherWork) {
  run(3);
  request_.generate.sets = {"batch=7"};
  const auto advice = advise(request_);
  EXPECT_FALSE(advice.rows[0].run.is_known());
  EXPECT_THAT(advice.choice, HasSubstr("no allocation can be chosen"));
}

TEST_F(AdviseTest, FallsBackToTheLedger) {
  request_.sources.folders.clear();
  const auto matrix = read_matrix(request_.generate);
  ledger::LedgerRow row;
  row.experiment = "x";
  row.cluster = "c";
  row.allocation = "slow";
  row.point = matrix.points.front().id;
  row.pilot = "pilot-1";
  row.epochs = 40;
  row.forecast_s = 700;
  row.low_80_s = 650;
  row.high_80_s = 760;
  row.high_95_s = 800;
  ledger::put_in_ledger(folder_ / "own/ledger.csv", {row});
  const auto advice = advise(request_);
  EXPECT_EQ(advice.rows[0].run.source, "ledger");
  EXPECT_EQ(advice.rows[0].run.time_s.value, 700);
  EXPECT_EQ(advice.rows[0].run.time_s.interval_80.high, 760);
  EXPECT_THAT(advice.rows[0].run.detail, HasSubstr("from pilot pilot-1"));
}

TEST_F(AdviseTest, TheLimitLeavesTimeForTheSignalOfTheProgram) {
  request_.sources.folders.clear();
  request_.generate.experiment =
      experiment("command: [t]\nepochs: 40\ncheckpoint_signal: USR1\ncheckpoint_lead: 30m");
  ledger::LedgerRow row{.experiment = "x", .cluster = "c", .allocation = "slow"};
  row.point = read_matrix(request_.generate).points.front().id;
  row.epochs = 40;
  row.forecast_s = 700;
  row.high_95_s = 800;
  ledger::put_in_ledger(folder_ / "own/ledger.csv", {row});
  const auto advice = advise(request_);
  EXPECT_EQ(advice.rows[0].run.source, "ledger");
  EXPECT_EQ(advice.rows[0].limit_s, 2700) << "800 s, 30 minutes and one, as plan asks";
}

TEST_F(AdviseTest, TellsWhatElseEndsATraining) {
  request_.generate.experiment = experiment("epochs: 40\nmax_iterations: 7");
  EXPECT_EQ(advise(request_).rows[0].run.detail,
            "its length is set by max_iterations=7, not by its epochs");
}

TEST_F(AdviseTest, RefusesSeveralRunsOnAnAllocation) {
  request_.generate.experiment = experiment("epochs: 2\nsweep: {batch: [4, 8]}");
  const auto error = test::error_of([&] { std::ignore = advise(request_); });
  EXPECT_THAT(error, AllOf(HasSubstr("allocation 'slow' has several runs"), HasSubstr("batch"),
                           HasSubstr("--filter")));
  request_.generate.experiment = experiment("epochs: 2\nrepeats: 3");
  request_.sources.folders.clear();
  EXPECT_EQ(test::error_of([&] { std::ignore = advise(request_); }), "") << "repeats are one run";
}

TEST_F(AdviseTest, RefusesAFolderThatIsNone) {
  EXPECT_THAT(test::error_of([&] { std::ignore = advise(request_); }),
              HasSubstr("is not an output folder"));
}

/// A site of one node of 4 CPUs, of which a job of 100 s of its 10 minutes holds all.
class AdviseOnSlurm : public AdviseTest {
 protected:
  AdviseOnSlurm() {
    run(3);
    profile("scheduler: slurm\n");
    bin("sinfo", "echo 'teaching*|1-00:00:00|4|8000|(null)|1|1|(null)'\n");
    scontrol(0);
    bin("squeue",
        "echo \"7 |RUNNING |bob |teaching |1 |4 |cpu=4,node=1 |10:00 |1:40 |5 |OK |(null) |n1 "
        "|$(date -d -100seconds +%FT%T) |None |train \"\n");
    bin("sacct", "echo 'Slurm accounting storage is disabled' >&2\nexit 1\n");
    bin("sbatch", "exit 0\n");
  }
  void bin(const std::string& name, const std::string& body) const {
    folder_.write("bin/" + name, "#!/bin/bash\n" + body, true);
  }
  /// Its configuration takes `slow_s` to come, after the queue is known.
  void scontrol(double slow_s) const {
    bin("scontrol",
        fmt::format("case \"$*\" in\n"
                    "  *node*) echo 'NodeName=n1 CPUAlloc=4 CPUTot=4 RealMemory=8000 AllocMem=0 "
                    "State=MIXED Partitions=teaching Gres=(null)' ;;\n"
                    "  *partition*) printf 'PartitionName=teaching\\n   PriorityTier=1\\n' ;;\n"
                    "  *config*) sleep {}; echo 'SchedulerParameters = bf_interval=5' ;;\n"
                    "esac\n",
                    slow_s));
  }
  /// One a minute, ten an hour.
  void past_jobs(int count, int wait_s) {
    request_.history.emplace();
    for (int job = 0; job < count; ++job) {
      const auto time = [&](int second) {
        return fmt::format("2026-11-25T{:02}:{:02}:{:02}", 8 + job / 10, job % 10, second);
      };
      slurm::AccountedJob past;
      past.job = std::to_string(100 + job);
      past.user = "bob";
      past.partition = "teaching";
      past.nodes = past.cpus = 1;
      past.node_list = "n1";
      past.submitted_at = past.eligible_at = time(0);
      past.started_at = time(wait_s);
      past.ended_at = time(wait_s + 30);
      past.limit_s = 600;
      past.elapsed_s = 30;
      past.state = slurm::JobState::completed;
      request_.history->push_back(past);
    }
  }

  test::WithVariable path_{"PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")};
};

TEST_F(AdviseOnSlurm, ModelsTheQueue) {
  const auto advice = advise(request_);
  EXPECT_THAT(advice.notes, ElementsAre(HasSubstr("no past jobs: sacct: Slurm accounting")));
  const auto& wait = advice.rows[0].wait;
  ASSERT_TRUE(wait.chosen);
  EXPECT_EQ(wait.chosen->source, WaitSource::queue);
  // Without past jobs any rest of the 500 s is as likely.
  EXPECT_NEAR(wait.chosen->wait_s.value, 250, 75);
  EXPECT_NEAR(wait.chosen->wait_s.interval_80.low, 50, 40);
  EXPECT_NEAR(wait.chosen->wait_s.interval_80.high, 450, 40);
  EXPECT_EQ(wait.chosen->error.n, 1U) << "the running job, which did not wait";
  EXPECT_THAT(wait.others, IsEmpty()) << "one past job is too little";
  EXPECT_EQ(wait.gap_s, 0);

  const auto tables = advice_tables(advice.rows);
  EXPECT_THAT(tables, ElementsAre(testing::Field(&table::Table::name, "advice"),
                                  testing::Field(&table::Table::name, "details")));
  for (const auto& table : {tables[0], tables[1], source_table(advice.rows)}) {
    for (const auto& row : table.rows) {
      EXPECT_THAT(row, SizeIs(table.columns.size())) << table.name;
    }
  }
  const auto chart = advice_chart(advice.rows, "t");
  EXPECT_THAT(chart.x.categories, ElementsAre("slow", "fast (chosen)"));
  EXPECT_THAT(chart.notes, IsEmpty());
}

// Recent jobs that have started waited little: those that wait are not among them.
TEST_F(AdviseOnSlurm, NoPastWaitSaysAtOnceWhereNoRoomIsFree) {
  past_jobs(60, 0);
  scontrol(1.5);  // which is no wait of the running job
  const auto wait = advise(request_).rows[0].wait;
  ASSERT_TRUE(wait.chosen);
  EXPECT_GE(wait.chosen->wait_s.value, 1) << to_text(wait.chosen->source);
  const auto past = std::ranges::find(wait.others, WaitSource::past_waits, &WaitForecast::source);
  ASSERT_NE(past, wait.others.end());
  EXPECT_THAT(past->reasons.front(), HasSubstr("no room is free"));
}

TEST_F(AdviseOnSlurm, TakesPastWaitsIfTheQueueIsNotShown) {
  bin("squeue", "echo 'slurm_load_jobs error: Access denied' >&2\nexit 1\n");
  past_jobs(60, 20);
  const auto advice = advise(request_);
  const auto& chosen = advice.rows[0].wait.chosen;
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->source, WaitSource::past_waits);
  EXPECT_EQ(chosen->wait_s.value, 20);
  EXPECT_THAT(advice.notes, Contains(HasSubstr("Access denied")));
}

TEST_F(AdviseOnSlurm, RefusesAWaitOfWhichNothingIsKnown) {
  bin("squeue", "echo 'slurm_load_jobs error: Access denied' >&2\nexit 1\n");
  past_jobs(3, 20);
  const auto advice = advise(request_);
  EXPECT_FALSE(advice.rows[0].wait.chosen);
  EXPECT_THAT(advice.rows[0].verdict,
              AllOf(HasSubstr("the wait is not known: Slurm does not show its queue"),
                    HasSubstr("--history FILE")));
  EXPECT_THAT(advice.choice, HasSubstr("no allocation can be chosen"));
}

TEST_F(AdviseOnSlurm, NamesTheReasonWhySlurmRefusesAnAllocation) {
  bin("sbatch",
      "echo 'allocation failure: Invalid qos specification' >&2\n"
      "exit 1\n");
  const auto advice = advise(request_);
  EXPECT_EQ(advice.rows[0].verdict, "allocation failure: Invalid qos specification");
  EXPECT_THAT(advice.choice, HasSubstr("no allocation can be chosen"));
}

/// The same site with a partition `cheap` on the same node, whose jobs those of `teaching` preempt.
class AdviseOnPreemptible : public AdviseOnSlurm {
 protected:
  AdviseOnPreemptible() {
    folder_.write("c.yaml",
                  "scheduler: slurm\ndefaults: {trainer: ./train, memory: 1G, time: 12h, "
                  "signal_lead: 30s, prices: {currency: SU, cpu_hour: 1}}\nallocations:\n"
                  "  slow: {cpus: 1, partition: [cheap, teaching]}\n"
                  "  fast: {cpus: 1, partition: cheap, prices: {cpu_hour: 0.1}}\n"
                  "  plain: {cpus: 1, partition: teaching}\n");
    limit_of_cheap("30:00");
    site("preempt/partition_prio", "ANY");
    request_.history.emplace();
  }
  void limit_of_cheap(const std::string& limit) const {
    bin("sinfo", "echo 'teaching*|1-00:00:00|4|8000|(null)|1|1|(null)'\necho 'cheap|" + limit +
                     "|4|8000|(null)|1|1|(null)'\n");
  }
  void site(const std::string& preempt_type, const std::string& enforce) const {
    bin("scontrol",
        "case \"$*\" in\n"
        "  *node*) echo 'NodeName=n1 CPUAlloc=4 CPUTot=4 RealMemory=8000 AllocMem=0 State=MIXED "
        "Partitions=teaching,cheap Gres=(null)' ;;\n"
        "  *partition*) printf 'PartitionName=teaching PriorityTier=2 "
        "PreemptMode=REQUEUE\\nPartitionName=cheap PriorityTier=1 PreemptMode=REQUEUE\\n' ;;\n"
        "  *config*) printf 'PreemptType = " +
            preempt_type + "\\nEnforcePartLimits = " + enforce + "\\n' ;;\nesac\n");
  }
  /// Simulated.
  void past(const std::string& partition, double hours, slurm::JobState state) {
    slurm::AccountedJob job;
    job.partition = partition;
    job.job = std::to_string(100 + request_.history->size());
    job.user = "bob";
    job.nodes = job.cpus = 1;
    job.node_list = "n1";
    job.submitted_at = job.eligible_at = job.started_at = "2026-11-20T08:00:00";
    job.ended_at = fmt::format("2026-11-20T{:02}:00:00", 8 + static_cast<int>(hours));
    job.elapsed_s = hours * 3600;
    job.state = state;
    request_.history->push_back(job);
  }
};

TEST_F(AdviseOnPreemptible, AddsTheExpectedLossByTheAccounting) {
  past("cheap", 5, slurm::JobState::preempted);
  past("cheap", 5, slurm::JobState::completed);
  past("teaching", 1, slurm::JobState::preempted);
  const auto rows = advise(request_).rows;
  EXPECT_EQ(rows[2].preemption.partitions, "") << "no partition has a higher tier";
  const auto& cheap = rows[1];
  EXPECT_EQ(cheap.preemption.partitions, "'cheap' (PreemptMode=REQUEUE)");
  EXPECT_THAT(
      cheap.preemption.detail,
      AllOf(HasSubstr("preempted: 1 of 2 past jobs in cheap, which ran 10 hours; 0.1 an hour "
                      "(0.0105 to 0.389, 80 %)"),
            HasSubstr("lost is the work since a checkpoint, which comes every ")));
  ASSERT_TRUE(cheap.preemption.loss);
  const double run_s = cheap.run.time_s.value;
  const auto& loss = *cheap.preemption.loss;
  EXPECT_NEAR(loss.preemptions.value, 0.1 * run_s / 3600, 1e-4);
  EXPECT_GT(loss.lost_s.value, 0);
  EXPECT_NEAR(*cheap.money, 0.1 * (run_s + loss.lost_s.value) / 3600, 1e-9);
  EXPECT_NEAR(
      cheap.result_s->value,
      run_s + loss.lost_s.value + (1 + loss.preemptions.value) * cheap.wait.chosen->wait_s.value,
      1e-6);
  EXPECT_THAT(rows[0].preemption.detail, HasSubstr("2 of 3 past jobs in teaching, cheap"));
}

TEST_F(AdviseOnPreemptible, GuessesNothingWhereTheAccountingShowsNone) {
  past("cheap", 5, slurm::JobState::completed);
  const auto rows = advise(request_).rows;
  EXPECT_EQ(rows[1].preemption.detail,
            "preempted: 0 of 1 past job in cheap, which ran 5 hours: how often is not known");
  EXPECT_FALSE(rows[1].preemption.loss);
  const auto table = advice_tables(rows)[0];
  EXPECT_EQ(std::get<std::string>(table.rows[1].back()),
            "may be preempted; the loss is not known, nor in the result");
}

TEST_F(AdviseOnPreemptible, ASiteThatPreemptsByQosIsNotJudgedByPartitions) {
  site("preempt/qos", "ANY");
  past("cheap", 5, slurm::JobState::preempted);
  EXPECT_EQ(advise(request_).rows[1].preemption.partitions, "");
}

TEST_F(AdviseOnPreemptible, ALimitMayBeThatOfTheLongerPartitionUnlessAllMustFit) {
  limit_of_cheap("6:00");
  past("teaching", 5, slurm::JobState::completed);
  const auto advice = advise(request_);
  EXPECT_GT(advice.rows[0].limit_s, 360);
  EXPECT_EQ(advice.rows[0].pieces.count, 1);
  EXPECT_THAT(
      advice.notes,
      Contains(AllOf(HasSubstr("slow: the limit "),
                     HasSubstr("is longer than partition 'cheap' allows, 6m: the job waits for the "
                               "other partitions"))));
  site("preempt/partition_prio", "ALL");
  EXPECT_EQ(advise(request_).rows[0].limit_s, 360);
}

TEST_F(AdviseOnPreemptible, OfSeveralPartitionsTheEarlierStartCounts) {
  bin("scontrol",
      "case \"$*\" in\n"
      "  *node*) for n in 'n1 CPUAlloc=4 AllocMem=0 State=ALLOCATED Partitions=teaching' 'n2 "
      "CPUAlloc=0 AllocMem=0 State=IDLE Partitions=cheap'; do echo \"NodeName=$n CPUTot=4 "
      "RealMemory=8000 Gres=(null)\"; done ;;\n"
      "  *partition*) printf 'PartitionName=teaching\\nPartitionName=cheap\\n' ;;\nesac\n");
  past("teaching", 5, slurm::JobState::completed);
  const auto rows = advise(request_).rows;
  EXPECT_EQ(rows[0].wait.chosen->wait_s.value, 0) << "n2 is free";
  EXPECT_GT(rows[2].wait.chosen->wait_s.value, 30) << "n1 is full";
}

}  // namespace
}  // namespace epochcast::jobs
