// What the real program records and prints.
#include <gmock/gmock.h>

#include "src/record/run/allocation.hpp"
#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(TrainerTest, TrainsAndRecordsIt) {
  const auto result = train("p", "1", 2);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(
      result.err,
      HasSubstr("6 samples, 3 steps per epoch, 6342400 parameters; starting at epoch 1 of 2\n"));
  EXPECT_THAT(result.err, HasSubstr("epoch 2/2: "));
  const auto verdict = record::verify_record(record_path("p", "1"));
  EXPECT_TRUE(verdict.readable && verdict.consistent) << verdict.text;
  const auto made = record("p", "1");
  EXPECT_EQ(made.header.outcome.view(), "complete");
  EXPECT_EQ(made.iterations.size(), 6u);
  EXPECT_EQ(made.epochs.size(), 2u);
  EXPECT_EQ(made.work.at(0).parameter_count, 6342400);
  EXPECT_NEAR(made.work.at(0).flops_per_sample, 2.2746e9, 1e6);
  EXPECT_EQ(made.machines.at(0).threads_used, 1);
  EXPECT_THAT(made.machines.at(0).libraries.str(), StartsWith("LibTorch "));
  EXPECT_TRUE(std::filesystem::exists(folder / "work/p/epoch-0002.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "work/p/p-1.checkpoint"));
}

TEST_F(TrainerTest, OfTheLabPrintsTheLabsLog) {
  const auto result = train("p", "1", 1, {"--procedure=reference"});
  EXPECT_THAT(result.out,
              StartsWith("Device: cpu\nnet_G(x).shape: torch.Size([1, 3, 64, 64])\nEpoch: 1\n"
                         "Processing batch: 1-0\nloss_D "));
  EXPECT_THAT(result.out, HasSubstr(" (6.0 examples in "));
  EXPECT_THAT(result.out, HasSubstr("Num epochs: 1\nTotal training time: "));
}

TEST_F(TrainerTest, EndsAPilotCleanly) {
  ASSERT_EQ(train("p", "1", 5, {"--max_iterations=4"}).status, 0);
  const auto pilot = record("p", "1");
  EXPECT_EQ(pilot.header.outcome.view(), "complete");
  EXPECT_THAT(pilot.header.outcome_text.str(), StartsWith("ended by max_iterations=4"));
  EXPECT_EQ(pilot.iterations.size(), 4u);
  EXPECT_EQ(pilot.epochs.size(), 1u);
}

TEST_F(TrainerTest, RepeatsItsNumbersWithTheSameSeedOnly) {
  train("p", "1", 1);
  train("p", "2", 1);
  train("p", "3", 1, {"--repeat=1"});
  train("p", "4", 1, {"--seed=2"});
  EXPECT_EQ(losses_of(record("p", "1")), losses_of(record("p", "2")));
  EXPECT_NE(losses_of(record("p", "1")), losses_of(record("p", "3")));
  EXPECT_EQ(losses_of(record("p", "3")), losses_of(record("p", "4"))) << "repeat r uses seed + r";
}

TEST_F(TrainerTest, RecordsWhatWasRequestedAndATaint) {
  const run::Allocation asked{.partition = "teaching", .cpus = 1000};
  const auto result = process::run_command(
      words("p", 1, {"--max_iterations=1", "--experiment=lab", "--allocation=cpu"}), 300,
      {{"EPOCHCAST_JOB_ID", "7"},
       {"SLURM_RESTART_COUNT", "1"},
       {"EPOCHCAST_ASKED", run::pack(asked)}});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto made = record("p", "7-r1");
  EXPECT_EQ(made.header.restart, 1);
  EXPECT_EQ(made.header.tainted.view(), "requeued: another node and time");
  bool found = false;
  for (const auto& row : made.allocation) {
    found = found ||
            (row.name == "cpus_allowed" && row.asked == "1000" && row.difference == "hardware");
  }
  EXPECT_TRUE(found) << "a node with fewer CPUs than it claims is a difference of the hardware";
}

TEST_F(TrainerTest, ListsAndDescribesItsModels) {
  const auto list = process::run_command({program(), "list"}, 60);
  EXPECT_THAT(list.out, HasSubstr("dcgan"));
  EXPECT_THAT(list.out, HasSubstr("synthetic"));
  EXPECT_THAT(process::run_command({program(), "list", "--json"}, 60).out,
              HasSubstr("\"models\": {"));
  const auto options = process::run_command({program(), "list", "mlp", "sgd"}, 60).out;
  EXPECT_THAT(options, HasSubstr("usage: epochcast-train --model=mlp [--model.OPTION=VALUE]"));
  EXPECT_THAT(options, HasSubstr("--model.depth integer"));
  EXPECT_THAT(options, HasSubstr("--optimizer.momentum number"));
  const auto description =
      process::run_command({program(), "describe", "--model=dcgan", "--procedure=reference"}, 60);
  EXPECT_THAT(description.out, HasSubstr("3 x 64 x 64"));
  EXPECT_THAT(description.out, HasSubstr("6342400"));
  EXPECT_THAT(description.out, HasSubstr("2.692e+09"));
}

}  // namespace
}  // namespace epochcast
