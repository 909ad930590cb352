#include "analysis/records/best_metric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/analysis/made_records.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::Field;

record::Record record_with(const std::vector<record::Metric>& metrics) {
  auto record = made_record({.epochs = 3});
  record.metrics = metrics;
  return record;
}

TEST(BestMetric, FindsTheBestEpochUnderTheProgramsOwnName) {
  const auto record = record_with({{0, "acc", 0.99},
                                   {0, "eval_accuracy", 0.5},
                                   {1, "eval_accuracy", 0.7},
                                   {2, "eval_accuracy", 0.7}});
  const auto best = best_value(record, "accuracy");
  ASSERT_TRUE(best);
  EXPECT_EQ(best->name, "eval_accuracy");
  EXPECT_EQ(best->value, 0.7);
  EXPECT_EQ(best->epoch, 1) << "the first of equals";
  EXPECT_EQ(best_accuracy(record), 0.7);
}

TEST(BestMetric, ThatOfALossIsTheLowestAndNoNumberIsNone) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto record =
      record_with({{0, "valid_loss", 2}, {1, "valid_loss", 1}, {2, "valid_loss", nan}});
  EXPECT_EQ(best_value(record, "loss")->value, 1);
  EXPECT_FALSE(best_value(record, "accuracy"));
}

TEST(BestMetric, ValidationGoesBeforeTestAndBoundNamesBeforeBareOnes) {
  EXPECT_EQ(held_out_name(record_with({{0, "test_acc", 1}, {0, "val_acc", 1}}), "accuracy"),
            "val_acc");
  EXPECT_EQ(held_out_name(record_with({{0, "Acc@1", 1}, {0, "test_acc", 1}}), "accuracy"),
            "test_acc");
  EXPECT_EQ(held_out_name(record_with({{0, "Acc@1", 1}}), "accuracy"), "Acc@1");
  EXPECT_EQ(held_out_name(record_with({{0, "train_acc1", 1}, {0, "accuracy", 1}}), "accuracy"), "")
      << "of training batches";
}

TEST(BestMetric, EvaluationsWithinEpochsCountWhereThereAreNoOthers) {
  EXPECT_EQ(best_accuracy(record_with({{0, "val_acc", 0.9, 50}, {0, "val_acc", 0.8}})), 0.8);
  EXPECT_EQ(best_accuracy(record_with({{0, "val_acc", 0.7, 50}, {0, "val_acc", 0.9, 100}})), 0.9);
}

TEST(BestMetric, QuantitiesAreListedWithAccuracyFirstAndLossLast) {
  const auto record =
      record_with({{0, "val_loss", 1}, {0, "val_mIoU", 0.5}, {0, "lr", 0.1}, {0, "val_acc", 0.5}});
  EXPECT_THAT(scored_quantities({loaded(record)}),
              ElementsAre(Field(&Quantity::name, "accuracy"), Field(&Quantity::name, "miou"),
                          Field(&Quantity::name, "loss")));
}

}  // namespace
}  // namespace epochcast::analysis
