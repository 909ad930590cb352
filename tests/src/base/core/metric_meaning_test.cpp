#include "src/base/core/metric_meaning.hpp"

#include <gtest/gtest.h>

namespace epochcast {
namespace {

TEST(MetricMeaning, KnowsAccuracyOnHeldOutDataUnderItsUsualNames) {
  for (const auto* name : {"val_accuracy",
                           "val_acc",
                           "valid_acc",
                           "valid_accuracy",
                           "validation_accuracy",
                           "eval_accuracy",
                           "eval_acc",
                           "eval/accuracy",
                           "dev_acc",
                           "Val Acc",
                           "valAcc",
                           "val/top1",
                           "val_acc1",
                           "val_Acc@1",
                           "val_Prec@1",
                           "val_top_1_accuracy",
                           "val accuracy_top1",
                           "val_categorical_accuracy",
                           "val_sparse_categorical_accuracy",
                           "metrics/val_acc"}) {
    const auto meaning = meaning_of_metric(name);
    EXPECT_EQ(meaning.quantity, "accuracy") << name;
    EXPECT_EQ(meaning.data, MetricData::validation) << name;
    EXPECT_EQ(meaning.higher_is_better, true) << name;
  }
  for (const auto* name : {"test_acc", "test_accuracy", "Test-Accuracy", "testAcc"}) {
    EXPECT_EQ(meaning_of_metric(name).quantity, "accuracy") << name;
    EXPECT_EQ(meaning_of_metric(name).data, MetricData::test) << name;
  }
}

TEST(MetricMeaning, ABareTopOneIsOfAValidationAndABareAccuracyIsNot) {
  for (const auto* name : {"top1", "acc1", "Acc@1", "Prec@1", "accuracy/top1", "metrics/top1"}) {
    EXPECT_TRUE(meaning_of_metric(name).usually_held_out) << name;
    EXPECT_FALSE(meaning_of_metric(name).held_out()) << name;
  }
  EXPECT_FALSE(meaning_of_metric("accuracy").usually_held_out);
  EXPECT_EQ(meaning_of_metric("train_acc").data, MetricData::training);
}

TEST(MetricMeaning, OtherQuantitiesKeepTheirWords) {
  EXPECT_EQ(meaning_of_metric("val_balanced_accuracy").quantity, "balanced_accuracy");
  EXPECT_EQ(meaning_of_metric("val_top5").quantity, "top5");
  EXPECT_EQ(meaning_of_metric("metrics/mAP50-95(B)").quantity, "map50_95_b");
  EXPECT_EQ(meaning_of_metric("eval_loss").quantity, "loss");
  EXPECT_EQ(meaning_of_metric("eval_f1_macro").quantity, "f1_macro");
}

TEST(MetricMeaning, SaysWhichEndIsBetter) {
  for (const auto* name : {"val_loss", "val_error_rate", "eval_wer", "test_ppl", "val_rmse",
                           "val_accuracy_error", "top1_error", "fid50k", "val_logloss"}) {
    EXPECT_EQ(meaning_of_metric(name).higher_is_better, false) << name;
  }
  for (const auto* name : {"val_f1", "mAP50", "val_mIoU", "eval_bleu", "rougeL", "val_psnr",
                           "val_dice", "roc_auc", "acc5", "mean_reward"}) {
    EXPECT_EQ(meaning_of_metric(name).higher_is_better, true) << name;
  }
  for (const auto* name : {"lr", "loss_scale", "learning_rate", "epoch_time", "grad_norm", ""}) {
    EXPECT_EQ(meaning_of_metric(name).higher_is_better, std::nullopt) << name;
  }
}

}  // namespace
}  // namespace epochcast
