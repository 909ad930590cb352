#include "src/training/torch/network/confusion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::libtorch {
namespace {

train::Metrics scores_of(std::int64_t classes, const std::vector<std::int64_t>& labels,
                         const std::vector<std::int64_t>& answers) {
  Confusion confusion(classes);
  confusion.add(torch::tensor(answers), torch::tensor(labels));
  return confusion.scores();
}

void expect_scores(const train::Metrics& scores, double precision, double recall, double f1) {
  EXPECT_DOUBLE_EQ(train::metric(scores, "precision"), precision);
  EXPECT_DOUBLE_EQ(train::metric(scores, "recall"), recall);
  EXPECT_DOUBLE_EQ(train::metric(scores, "f1"), f1);
}

TEST(Confusion, CountsClassesByTheirShareAndEachAlike) {
  Confusion confusion(3);
  EXPECT_TRUE(confusion.scores().empty());
  confusion.add(torch::tensor({0, 0, 0}), torch::tensor({0, 0, 1}));
  confusion.add(torch::tensor({0, 1}), torch::tensor({0, 0}));  // class 2 does not occur
  const auto scores = confusion.scores();
  EXPECT_DOUBLE_EQ(train::metric(scores, "accuracy"), 3.0 / 5);
  EXPECT_DOUBLE_EQ(train::metric(scores, "balanced_accuracy"), (3.0 / 4 + 0) / 2);
  confusion.clear();
  EXPECT_TRUE(confusion.scores().empty());
}

TEST(Confusion, AnswersThatAreNotFiniteAreWrong) {
  const auto nan = std::nanf("");
  const auto logits = torch::tensor({1.F, 0.F, nan, 0.F, 0.F, HUGE_VALF, 0.F, 1.F}).view({4, 2});
  const auto classes = classes_of(logits);
  EXPECT_TRUE(classes.equal(torch::tensor({0, 2, 2, 1}, torch::kLong)));
  Confusion confusion(2);
  confusion.add(classes, torch::tensor({0, 0, 1, 1}, torch::kLong));
  const auto scores = confusion.scores();
  EXPECT_DOUBLE_EQ(train::metric(scores, "accuracy"), 0.5);
  EXPECT_DOUBLE_EQ(train::metric(scores, "precision"), 1);
  EXPECT_DOUBLE_EQ(train::metric(scores, "recall"), 0.5);
  EXPECT_EQ(confusion.without_class(), 2);
}

TEST(Confusion, OfTwoClassesScoresTheSecond) {
  expect_scores(scores_of(2, {1, 1, 1, 1, 1, 0, 0}, {1, 1, 1, 0, 0, 1, 0}), 3.0 / 4, 3.0 / 5,
                6.0 / 9);
  expect_scores(scores_of(2, {0, 1}, {0, 0}), 0, 0, 0);  // nothing is answered with class 1
}

// The example of scikit-learn's own documentation of precision_score, recall_score and f1_score.
TEST(Confusion, OfMoreClassesWeighsThemByHowOftenTheyOccur) {
  const std::vector<std::int64_t> labels{0, 1, 2, 0, 1, 2};
  const std::vector<std::int64_t> answers{0, 2, 1, 0, 0, 1};
  expect_scores(scores_of(3, labels, answers), 2.0 / 9, 1.0 / 3, 0.8 / 3);
  expect_scores(scores_of(1000, labels, answers), 2.0 / 9, 1.0 / 3, 0.8 / 3);
}

}  // namespace
}  // namespace epochcast::libtorch
