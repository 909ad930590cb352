// Intervals learned from other pairs of devices, on answers made here.
#include "analysis/validate/pair_intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::analysis {
namespace {

TEST(WeightedQuantile, IsTheLeastValueWithItsShareOfTheWeight) {
  EXPECT_EQ(weighted_quantile({{3, 1}, {1, 1}, {2, 1}, {4, 1}}, 0.5), 2);
  EXPECT_EQ(weighted_quantile({{1, 8}, {9, 1}, {5, 1}}, 0.8), 1);
  EXPECT_EQ(weighted_quantile({{1, 8}, {9, 1}, {5, 1}}, 0.81), 5);
  EXPECT_THROW(weighted_quantile({}, 0.5), std::logic_error);
}

/// Workloads that take 1 s on each of the devices a, b, c, forecast with an error for each pair.
class PairIntervals : public testing::Test {
 protected:
  PairIntervals() : one_{.time_s = {{"a", 1}, {"b", 1}, {"c", 1}}} {}

  void ask(const std::string& from, const std::string& to, double log_error, int times) {
    for (int i = 0; i < times; ++i) {
      questions_.push_back({&one_, from, to});
      const double value = std::exp(log_error);
      method_.predictions.push_back(forecast::with_log_widths(value, 0.1, 0.2));
    }
  }

  static double width(const std::optional<forecast::Prediction>& guess) {
    return std::log(guess->interval_95.high / guess->value);
  }

  DeviceCase one_;
  std::vector<DeviceQuestion> questions_;
  Method method_{"m", {}};
};

TEST_F(PairIntervals, AreThoseOfTheErrorsOnOtherPairs) {
  ask("a", "b", 0.1, 50);
  ask("b", "c", -0.3, 3);
  ask("a", "c", 1.5, 1);
  const auto learned = learnt_from_other_pairs(method_, questions_);
  ASSERT_TRUE(learned);
  EXPECT_NEAR(width(learned->predictions[0]), 1.5, 1e-9) << "not from its own small errors";
  EXPECT_NEAR(width(learned->predictions[53]), 0.3, 1e-9) << "not from its own large error";
  EXPECT_NEAR(learned->predictions[0]->value, method_.predictions[0]->value, 1e-12);
}

TEST_F(PairIntervals, TakeBothDirectionsOfAPairForOne) {
  ask("a", "b", 0.1, 1);
  ask("b", "a", 0.1, 1);
  ask("b", "c", 0.1, 1);
  EXPECT_FALSE(learnt_from_other_pairs(method_, questions_)) << "two pairs only";
}

TEST_F(PairIntervals, NeedIntervals) {
  ask("a", "b", 0.1, 1);
  ask("b", "c", 0.1, 1);
  ask("a", "c", 0.1, 1);
  for (auto& guess : method_.predictions) {
    guess->interval_80 = guess->interval_95 = {};
  }
  EXPECT_FALSE(learnt_from_other_pairs(method_, questions_));
}

}  // namespace
}  // namespace epochcast::analysis
