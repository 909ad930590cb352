#include "src/measure/attempt/place.hpp"

#include <gtest/gtest.h>

#include "src/base/core/error.hpp"

namespace epochcast::attempt {
namespace {

const slurm::Environment torchrun{{"RANK", "3"},
                                  {"WORLD_SIZE", "4"},
                                  {"LOCAL_RANK", "1"},
                                  {"MASTER_ADDR", "node7"},
                                  {"MASTER_PORT", "29500"}};
const slurm::Environment step{{"SLURM_JOB_ID", "40007"},
                              {"SLURM_STEP_ID", "0"},
                              {"SLURM_STEP_NUM_TASKS", "8"},
                              {"SLURM_PROCID", "5"},
                              {"SLURM_LOCALID", "1"},
                              {"SLURM_NTASKS", "8"},
                              {"SLURM_STEP_NODELIST", "t4-[01-02]"}};

slurm::Environment with(slurm::Environment environment, const std::string& name,
                        const std::string& value) {
  environment[name] = value;
  return environment;
}

TEST(RankPlace, OfATaskOfSrunComesFromItsStep) {
  const auto place = read_rank_place(step);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.size, 8);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.rendezvous_host, "t4-01");
  EXPECT_EQ(place.rendezvous_port, 0) << "the secret of the run gives one";
  EXPECT_EQ(place.run, "40007.0");
  EXPECT_EQ(read_rank_place(with(step, "MASTER_PORT", "12345")).rendezvous_port, 12345);
  EXPECT_NE(read_rank_place(with(step, "SLURM_STEP_ID", "1")).run, place.run)
      << "two steps of a job may run at once";
}

TEST(RankPlace, OfTorchrunGoesBeforeTheStepItWasStartedIn) {
  auto both = step;
  both.insert(torchrun.begin(), torchrun.end());
  const auto place = read_rank_place(both);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.rendezvous_host, "node7");
  EXPECT_EQ(place.rendezvous_port, 29500);
}

TEST(RankPlace, IsReachedOnLoopbackWhereAllRanksShareAMachine) {
  EXPECT_EQ(read_rank_place(with(step, "SLURM_STEP_NODELIST", "t4-02")).rendezvous_host,
            "127.0.0.1");
  EXPECT_EQ(read_rank_place(with(torchrun, "LOCAL_WORLD_SIZE", "4")).rendezvous_host, "127.0.0.1");
  EXPECT_EQ(read_rank_place(with(torchrun, "LOCAL_WORLD_SIZE", "2")).rendezvous_host, "node7");
}

TEST(RankPlace, IsAloneOutsideAStepAndInOneOfOneTask) {
  const std::vector<slurm::Environment> alone{
      {},
      {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}},
      {{"SLURM_STEP_NUM_TASKS", "1"}}};
  for (const auto& environment : alone) {
    EXPECT_EQ(read_rank_place(environment).size, 1);
    EXPECT_TRUE(read_rank_place(environment).is_first());
  }
}

TEST(RankPlace, NamesVariablesThatAreMissingOrInvalid) {
  struct Case {
    slurm::Environment environment;
    std::string text;
  };
  const std::vector<Case> cases{
      {{{"RANK", "0"}}, "WORLD_SIZE is not set in the environment, although RANK is set"},
      {{{"WORLD_SIZE", "2"}}, "RANK is not set in the environment, although WORLD_SIZE is set"},
      {with(torchrun, "MASTER_ADDR", ""),
       "MASTER_ADDR is not set in the environment, although RANK is set"},
      {with(torchrun, "RANK", "first"),
       "RANK in the environment: found 'first', expected a whole number"},
      {with(torchrun, "RANK", "4"),
       "found rank 4 of 4 in the environment, expected a rank from 0 to below the number of ranks"},
      {with(torchrun, "MASTER_PORT", "70000"),
       "MASTER_PORT in the environment: found 70000, expected a port from 1 to 65535"},
      {with(step, "SLURM_STEP_NODELIST", ""),
       "SLURM_STEP_NODELIST is not set in the environment, although SLURM_STEP_NUM_TASKS is set"},
  };
  for (const auto& [environment, text] : cases) {
    try {
      read_rank_place(environment);
      ADD_FAILURE() << "no error, expected: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), text);
    }
  }
}

}  // namespace
}  // namespace epochcast::attempt
