#include "src/train/pass_length.hpp"

#include <gtest/gtest.h>

namespace epochcast::train {
namespace {

run::RunConfig in_batches_of(std::int64_t batch) {
  run::RunConfig config;
  config.batch = batch;
  return config;
}

TEST(PassLength, IsAllSamplesUnlessTheLastBatchIsDropped) {
  auto config = in_batches_of(12);
  EXPECT_EQ(samples_of_pass(config, 40), 40);
  config.last_batch = "drop";
  EXPECT_EQ(samples_of_pass(config, 40), 36);
  EXPECT_EQ(samples_of_pass(config, 36), 36);
  EXPECT_EQ(samples_of_pass(config, 11), 0);
}

TEST(PassLength, OfATrainingLeavesOutTheBatchesOfAnUpdateThatIsNotWhole) {
  auto config = in_batches_of(12);
  config.accumulate = 3;
  EXPECT_EQ(samples_of_training(config, 50), 50);
  config.last_update = "drop";
  EXPECT_EQ(samples_of_training(config, 50), 36);  // of five batches three
  EXPECT_EQ(samples_of_training(config, 70), 70);  // six, the last of ten
  EXPECT_EQ(samples_of_training(config, 24), 0);
  EXPECT_EQ(samples_of_pass(config, 50), 50);
}

}  // namespace
}  // namespace epochcast::train
