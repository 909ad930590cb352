// A Python script of a user's on a real Slurm: from `init` to the ledger, and over a time limit.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "src/forecast/ledger/ledger.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Prints its epochs, and saves after each; once its job is about to end, it stops as a cluster's
/// user would write it.
const char* const train_py = R"py(
import argparse, os, signal, sys, time

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--seconds", type=float, default=1.0)
parser.add_argument("--save", required=True)
parser.add_argument("--resume")
args = parser.parse_args()

stop = False
def on_signal(number, frame):
    global stop
    stop = True
signal.signal(signal.SIGUSR1, on_signal)

first = int(open(args.resume).read()) if args.resume else 0
for epoch in range(first, args.epochs):
    for step in range(10):
        time.sleep(args.seconds / 10)
    print(f"Epoch {epoch + 1}/{args.epochs} - loss: {1 / (epoch + 1):.4f}", flush=True)
    with open(args.save + "/next.ckpt", "w") as file:  # a signal may come between open and write
        file.write(str(epoch + 1))
    os.replace(args.save + "/next.ckpt", args.save + "/last.ckpt")
    if stop and epoch + 1 < args.epochs:
        sys.exit(75)
with open(args.save + "/model.txt", "w") as file:
    file.write("done")
)py";

class SlurmProgram : public SlurmLab {
 protected:
  /// experiment.yaml as `init` writes it, with what a user adds by hand.
  void init_experiment(int epochs, double seconds, const std::string& more = "") {
    write("train.py", train_py);
    must(
        fmt::format("epochcast-jobs init -o experiment.yaml -- python3 train.py --epochs {} "
                    "--seconds {} --save '{{work}}'",
                    epochs, seconds));
    must(
        "cat >>experiment.yaml <<'END'\noutputs: ['{work}/model.txt']\n"
        "resume: [--resume, '{work}/last.ckpt']\n" +
        more + "\nEND");
  }

  void site(const std::string& partition, const std::string& time) {
    write("site.yaml", fmt::format("scheduler: slurm\n"
                                   "defaults: {{account: csc101, memory: 1G, signal_lead: 10s}}\n"
                                   "allocations:\n"
                                   "  cpu1: {{partition: {}, cpus: 1, time: {}}}\n",
                                   partition, time));
  }

  std::vector<ledger::LedgerRow> ledger() { return ledger::read_ledger(home("out/ledger.csv")); }
};

TEST_F(SlurmProgram, PilotsForecastTheFullJobsAndTheLedgerClosesThem) {
  init_experiment(8, 1.5, "repeats: 2");
  site("teaching", "1h");
  must("epochcast-jobs plan experiment.yaml --cluster ./site.yaml -o out");
  wait_until_settled("out/pilots");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(2));
  for (const auto& row : rows) {
    EXPECT_FALSE(std::isnan(row.forecast_s)) << row.remark;
    EXPECT_EQ(row.epochs, 8);
    EXPECT_EQ(row.outcome, ledger::Outcome::complete);
    EXPECT_LT(row.asked_s, 3600) << "the allocation's";
    EXPECT_GE(row.actual_s, 8 * 1.5) << "the sleeps alone";
  }
  EXPECT_THAT(headers("out/pilots"), SizeIs(1)) << "repeats share it";
  EXPECT_THAT(headers("out/pilots").begin()->second.outcome_text.str(),
              HasSubstr("pilot of 2 epochs done"));
  EXPECT_THAT(must("epochcast-analyze table ledger out"), HasSubstr("asked/used"));
}

TEST_F(SlurmProgram, CheckNamesTheMissingInputAndTheRunFailsAtOnce) {
  init_experiment(2, 0.1);
  must("sed -i 's/^inputs:.*/inputs: [train.py, data.csv]/' experiment.yaml");
  site("teaching", "10m");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  const auto checked = alice("epochcast-jobs check out");
  EXPECT_NE(checked.status, 0);
  EXPECT_THAT(checked.out, HasSubstr(home("data.csv").string() + ": the input does not exist"));
  must("epochcast-jobs submit out");
  const auto failed = wait_until_settled("out").begin()->second;
  EXPECT_EQ(failed.state, "failed");
  EXPECT_THAT(failed.reason, HasSubstr("data.csv' is not there"));
  write("data.csv", "");
  must("epochcast-jobs check out");
  must("epochcast-jobs resubmit out --failed");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
}

TEST_F(SlurmProgram, StopsAtTheLimitWithItsOwnCheckpointAndResubmitFinishes) {
  init_experiment(20, 5);  // Slurm's signal comes 20 to 50 s after the start of a 1-minute job
  site("quick", "1m");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  must("epochcast-jobs submit out");
  const auto stopped = wait_until_settled("out").begin()->second;
  EXPECT_EQ(stopped.state, "stopped");
  EXPECT_THAT(stopped.reason, AllOf(HasSubstr("time limit of 1m"), HasSubstr("SIGUSR1")));
  EXPECT_THAT(must("cat out/logs/*"), HasSubstr("warning: the job ends in"));

  site("teaching", "10m");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  EXPECT_THAT(must("epochcast-jobs resubmit out --timeout"), HasSubstr("resumes"));
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  const auto all = headers("out");
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all.rbegin()->second.resumed_from.str(), HasSubstr("/last.ckpt"));
  EXPECT_THAT(must("cat out/logs/*"), HasSubstr("goes on from"));
}

/// A limit of 2 minutes leaves room for one epoch: less the lead of the signal, and the minute by
/// which Slurm may send it earlier. The program reports its epochs: printed, the first would be
/// known with the second. It ends at the signal.
class SlurmProgramLimit : public SlurmProgram {
 protected:
  void init(const std::string& more = "") {
    init_experiment(3, 25, "checkpoint_signal: USR1\n" + more);
    std::string text(train_py);
    const auto put = [&](const std::string& old, const std::string& now) {
      text.replace(text.find(old), old.size(), now);
    };
    put("    stop = True", "    sys.exit(75)");
    put("stop = False", R"(def event(name):
    with open(os.environ["EPOCHCAST_EVENTS"], "a") as file:
        file.write('{"event":"%s","epoch":%d,"epochs":%d}\n' % (name, epoch, args.epochs))
stop = False)");
    put("    for step", "    event('epoch_begin')\n    for step");
    put("    if stop and", "    event('epoch_end')\n    if stop and");
    write("train.py", text);
    site("teaching", "2m, near_limit: epoch");
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
    must("epochcast-jobs submit out");
  }
};

TEST_F(SlurmProgramLimit, StopsBeforeTheEpochThatDoesNotFitAndResubmitFinishes) {
  init();
  const auto stopped = wait_until_settled("out").begin()->second;
  EXPECT_EQ(stopped.state, "stopped");
  EXPECT_THAT(stopped.reason, HasSubstr(": epoch 2 of 3 needs up to "));
  EXPECT_EQ(headers("out").begin()->second.cause.str(), "before_limit");

  site("teaching", "10m, near_limit: epoch, time_min: 9m");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  EXPECT_THAT(must("epochcast-jobs resubmit out --timeout"), HasSubstr("resumes"));
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_THAT(must("cat out/logs/*"), HasSubstr("goes on from"));
  EXPECT_THAT(must("scontrol show job $(ls out/claims | head -n 1 | xargs -I{} cat out/claims/{})"),
              HasSubstr("TimeMin=00:09:00"));
}

TEST_F(SlurmProgramLimit, TheEndingJobSubmitsTheNextUntilTheRunIsComplete) {
  init("retry: {timeout: resume, attempts: 3}");
  for (int i = 0; i < 5; ++i) {
    must(
        "for i in $(seq 30); do epochcast-jobs status out --format csv | grep -q complete && "
        "break; sleep 2; done");
  }
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_THAT(headers("out"), SizeIs(3)) << "an epoch each";
  EXPECT_THAT(must("cat out/logs/*"), HasSubstr("was stopped, resumes"));
}

/// It does not handle signals, as most scripts: what it saved after each epoch is there.
TEST_F(SlurmProgram, CancelLeavesEveryRunStoppedAndResubmitGoesOn) {
  init_experiment(60, 0.2, "repeats: 6");
  must("sed -i 's/^signal.signal.*//' train.py");
  site("teaching", "10m");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  must("epochcast-jobs submit out");
  wait_for_attempts("out", 6);
  must("until [ $(ls out/work/*/last.ckpt 2>/dev/null | wc -l) = 6 ]; do sleep 0.2; done");
  EXPECT_THAT(must("epochcast-jobs cancel out"), HasSubstr("was running, saves and stops"));
  for (const auto& [point, status] : wait_until_settled("out")) {
    EXPECT_EQ(status.state, "stopped") << point;
    EXPECT_THAT(status.reason, HasSubstr("SIGUSR1")) << point;
  }
  EXPECT_THAT(must("epochcast-jobs resubmit out --timeout"), HasSubstr("was stopped, resumes"));
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  for (const auto& [name, header] : headers("out")) {
    const bool goes_on = header.outcome == "complete";
    EXPECT_EQ(header.resumed_from.str().ends_with("/last.ckpt"), goes_on) << name;
  }
}

TEST_F(SlurmProgram, WhatSlurmTakesIsWhatTheProfileSays) {
  write(
      "site.yaml",
      "scheduler: slurm\ndefaults: {account: csc101, time: 10m, signal_lead: 10s}\nallocations:\n"
      "  any: {partition: [dgx, teaching], cpus: 1, memory: 1G}\n"
      "  whole: {partition: teaching, cpus: 1, memory: all}\n"
      "  plain: {partition: teaching, cpus: 1, memory_flag: none}\n"
      "  again: {partition: teaching, cpus: 1, memory: 1G, sbatch: [\"--requeue\"]}\n"
      "  share: {partition: teaching, tasks_per_node: 4, gpus_per_node: 1, gpu: t4, memory: 1G}\n");
  write("experiment.yaml",
        "name: x\nepochs: 1\ncommand: [bash, -c, \"scontrol show job $SLURM_JOB_ID; echo "
        "gpu=$CUDA_VISIBLE_DEVICES; echo Epoch 1/1 - loss: 0.5\"]\n");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  EXPECT_THAT(alice("epochcast-jobs check out").err, HasSubstr("no problem found"));
  must("epochcast-jobs submit out");
  for (const auto& [point, status] : wait_until_settled("out")) {
    EXPECT_EQ(status.state, "complete") << point << ": " << status.reason;
    EXPECT_EQ(status.tainted, "") << point;
  }
  const auto log = [&](const std::string& allocation) {
    return must("cat out/logs/*" + allocation + "*");
  };
  EXPECT_THAT(log("whole"), HasSubstr("mem=187.50G"));
  EXPECT_THAT(log("plain"), HasSubstr("mem=4000M")) << "the default of the partition";
  EXPECT_THAT(log("again"), HasSubstr("Requeue=1"));
  EXPECT_THAT(log("any"), HasSubstr("Requeue=0"));
  EXPECT_THAT(log("share"), AllOf(HasSubstr("gres/gpu=1"), HasSubstr("NumTasks=4")));
}

}  // namespace
}  // namespace epochcast
