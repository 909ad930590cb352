#include "src/torch/confusion.hpp"

#include <gtest/gtest.h>

namespace epochcast {
namespace {

TEST(Confusion, CountsClassesByTheirShareAndEachAlike) {
  Confusion confusion(3);
  EXPECT_TRUE(confusion.scores().empty());
  confusion.add(torch::tensor({0, 0, 0}), torch::tensor({0, 0, 1}));
  confusion.add(torch::tensor({0, 1}), torch::tensor({0, 0}));  // class 2 does not occur
  const auto scores = confusion.scores();
  EXPECT_DOUBLE_EQ(metric(scores, "accuracy"), 3.0 / 5);
  EXPECT_DOUBLE_EQ(metric(scores, "balanced_accuracy"), (3.0 / 4 + 0) / 2);
  confusion.clear();
  EXPECT_TRUE(confusion.scores().empty());
}

}  // namespace
}  // namespace epochcast
