// Jobs that end before their training does: at the time limit, by scancel.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

class SlurmLimit : public SlurmLab {};

constexpr auto one_minute_profile =
    "scheduler: slurm\n"
    "defaults: {account: csc101, memory: 4G, signal_lead: 10s}\n"
    "allocations:\n"
    "  short: {partition: quick, cpus: 2, time: 1m}\n";

TEST_F(SlurmLimit, StopsAtTheLimitAndResubmitFinishesFromTheCheckpoint) {
  // Slurm signals up to 60 s early and ends a 1-minute job after about 75 s: so several attempts are needed.
  const auto site = write("site.yaml", one_minute_profile);
  experiment("short", "epochs: 60");
  must("epochcast-jobs generate experiment.yaml --cluster " + site + " -o out");
  must("epochcast-jobs submit out");
  const auto point = wait_until_settled("out").begin()->first;
  EXPECT_EQ(status("out")[point].state, "stopped");
  EXPECT_THAT(outcomes("out"), Contains(Pair(testing::_, "stopped")));
  for (int attempt = 0; attempt < 4 && status("out")[point].state == "stopped"; ++attempt) {
    must("epochcast-jobs resubmit out --timeout");
    wait_until_settled("out");
  }
  expect_every_point_complete_once("out");
}

TEST_F(SlurmLimit, ScancelLeavesAPartialRecordAndResubmitFinishesIt) {
  experiment("cpu2", "epochs: 30");
  must("epochcast-jobs generate experiment.yaml --cluster rosie -o out");
  must("epochcast-jobs submit out");
  const auto point = wait_for_state("out", "running");
  must("sleep 8; scancel " + status("out")[point].job);
  wait_until_settled("out");
  EXPECT_EQ(status("out")[point].state, "stopped");
  must("epochcast-jobs resubmit out --failed --timeout");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_EQ(outcomes("out").size(), 2) << "a record each attempt";
}

}  // namespace
}  // namespace epochcast
