#include "src/training/loop/updates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace epochcast::train {
namespace {

using testing::ElementsAre;

TEST(UpdatePlan, OfTheStudiesEpochHasOneMoreUpdateThanThe97WithoutTheRemainder) {
  const run::RunConfig config{.accumulate = 4};
  EXPECT_EQ(UpdatePlan(config, 391).in_epoch(), 98);
  EXPECT_EQ(UpdatePlan(config, 388).in_epoch(), 97);  // what last_update=drop leaves
}

TEST(UpdatePlan, GivesEveryBatchItsShareAlsoInAShorterUpdate) {
  const UpdatePlan plan({.accumulate = 3}, 5);
  std::vector<std::int64_t> batches;
  std::vector<bool> last;
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto role = plan.role({1, i});
    EXPECT_EQ(role.first, i == 0 || i == 3);
    batches.push_back(role.batches);
    last.push_back(role.last);
  }
  EXPECT_THAT(batches, ElementsAre(3, 3, 3, 2, 2));
  EXPECT_THAT(last, ElementsAre(false, false, true, false, true));
  EXPECT_EQ(plan.before({0, 2}), 0);
  EXPECT_EQ(plan.before({0, 3}), 1);
  EXPECT_EQ(plan.before({0, 5}), 2);
  EXPECT_EQ(plan.before({2, 3}), 5);
}

std::vector<double> factors(const UpdatePlan& plan) {
  std::vector<double> factors;
  for (std::int64_t update = 0; update <= plan.in_run(); ++update) {
    factors.push_back(plan.learning_rate_factor(update));
  }
  return factors;
}

TEST(UpdatePlan, HasTheLearningRateRiseAndFall) {
  EXPECT_THAT(factors(UpdatePlan({.epochs = 2, .schedule = "linear", .warmup_updates = 2}, 3)),
              ElementsAre(0, 0.5, 1, 0.75, 0.5, 0.25, 0));
  EXPECT_THAT(factors(UpdatePlan({.epochs = 1, .warmup_updates = 2}, 3)),
              ElementsAre(0, 0.5, 1, 1));
  EXPECT_THAT(factors(UpdatePlan({.epochs = 1, .schedule = "linear"}, 4)),
              ElementsAre(1, 0.75, 0.5, 0.25, 0));
}

TEST(UpdatePlan, HasEvaluationsWithinEpochsByUpdatesOfTheRun) {
  const UpdatePlan plan({.accumulate = 2, .evaluate_every = 2}, 5);  // 3 updates an epoch
  std::vector<std::int64_t> due;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    for (std::int64_t i = 0; i <= 5; ++i) {
      if (plan.evaluation_is_due({epoch, i})) {
        due.push_back(10 * epoch + i);
      }
    }
  }
  EXPECT_THAT(due, ElementsAre(4, 12)) << "after updates 2 and 4, not after 6, the last of all";
}

}  // namespace

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

TEST(PassLength, OfATrainingExcludesTheBatchesOfAnUpdateThatIsNotWhole) {
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
