// Jobs that end before their training does: at the time limit, by scancel.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class SlurmLimit : public SlurmLab {
 protected:
  /// Generates into out with an allocation of that partition and time limit.
  void generate(const std::string& partition, const std::string& time) {
    write("site.yaml", fmt::format("scheduler: slurm\n"
                                   "defaults: {{account: csc101, memory: 4G, signal_lead: 10s}}\n"
                                   "allocations:\n"
                                   "  cpu2: {{partition: {}, cpus: 2, time: {}}}\n",
                                   partition, time));
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  }
};

TEST_F(SlurmLimit, StopsAtTheLimitAndResubmitWithMoreTimeFinishes) {
  lasting_experiment("cpu2",
                     55);  // Slurm's signal comes 20 to 50 s after the start of a 1-minute job
  generate("quick", "1m");
  must("epochcast-jobs submit out");
  const auto stopped = wait_until_settled("out").begin()->second;
  EXPECT_EQ(stopped.state, "stopped");
  EXPECT_THAT(stopped.reason, HasSubstr("SIGUSR1"));
  EXPECT_THAT(outcomes("out"), ElementsAre(Pair(_, "stopped")));
  const auto first = outcomes("out").begin()->first;

  generate("teaching", "10m");
  must("epochcast-jobs resubmit out --timeout");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_EQ(headers("out").rbegin()->second.resumed_from.str(), first + ".h5")
      << "not from the start once more";
}

TEST_F(SlurmLimit, ScancelLeavesAPartialRecordAndResubmitFinishesIt) {
  lasting_experiment("cpu2", 20);
  generate("teaching", "10m");
  must("epochcast-jobs submit out");
  must("scancel " + wait_for_attempts("out", 1).front());
  wait_until_settled("out");
  EXPECT_THAT(outcomes("out"), ElementsAre(Pair(_, "stopped")));
  must("epochcast-jobs resubmit out --failed --timeout --missing");
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  EXPECT_EQ(outcomes("out").size(), 2) << "a record each attempt";
}

}  // namespace
}  // namespace epochcast
