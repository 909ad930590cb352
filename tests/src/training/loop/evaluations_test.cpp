// Evaluations within epochs, and the weights of the best one.
#include <gmock/gmock.h>

#include "src/training/loop/checkpoint.hpp"
#include "tests/files.hpp"
#include "tests/src/training/loop/attempt_runs.hpp"

namespace epochcast::train {
namespace {

using testing::ElementsAre;

class Evaluations : public AttemptTest {
 protected:
  Evaluations() {
    config.epochs = 1;
    config.evaluate_every = 1;
    arrange = [this](FakeWorkload& fake) { fake.scores = scores; };
  }

  std::vector<double> scores{0.5, 0.75, 0.625};  ///< After two steps and after the epoch's third.
};

TEST_F(Evaluations, WithinAnEpochAreInTheRecordWithTheirPlace) {
  const auto record = run("1");
  std::vector<std::pair<std::int64_t, double>> found;
  for (const auto& metric : record.metrics) {
    if (metric.name == "val_accuracy") {
      found.emplace_back(metric.iteration, metric.value);
    }
  }
  EXPECT_THAT(found, ElementsAre(std::pair(1, 0.5), std::pair(2, 0.75), std::pair(0, 0.625)));
}

TEST_F(Evaluations, TakeNoTimeOfTheTraining) {
  const auto with = run("1");
  config.evaluate_every = 0;
  scores = {0.625};
  const auto without = run("2");
  const double calls_s = 2.0 / 1024;  // waiting for the device before each evaluation
  EXPECT_DOUBLE_EQ(with.epochs[0].wall_s, without.epochs[0].wall_s + calls_s);
  EXPECT_DOUBLE_EQ(with.epochs[0].evaluate_s, without.epochs[0].evaluate_s + 0.5);
  double train_s = 0;
  for (const auto& span : with.spans) {
    train_s += span.name == "train" ? span.duration_s : 0;
  }
  EXPECT_DOUBLE_EQ(train_s, with.epochs[0].wall_s);
}

TEST_F(Evaluations, AndStepsDoNotIncludeTheChoiceOfKernels) {
  const auto without = run("1");
  arrange = [this](FakeWorkload& fake) {
    fake.scores = scores;
    fake.chooses_kernels_s = 2;
  };
  std::filesystem::remove_all(output.work);
  const auto with = run("2");
  EXPECT_DOUBLE_EQ(with.epochs[0].wall_s, without.epochs[0].wall_s);
  EXPECT_DOUBLE_EQ(with.epochs[0].evaluate_s, without.epochs[0].evaluate_s);
  ASSERT_EQ(with.iterations.size(), without.iterations.size());
  for (std::size_t i = 0; i < with.iterations.size(); ++i) {
    EXPECT_DOUBLE_EQ(with.iterations[i].step_s, without.iterations[i].step_s) << i;
  }
  std::vector<double> chosen_s;
  for (const auto& span : with.spans) {
    if (span.name == "choose_kernels") {
      chosen_s.push_back(span.duration_s);
    }
    EXPECT_LT(span.duration_s, span.name == "choose_kernels" ? 3 : 2) << span.name.view();
  }
  EXPECT_THAT(chosen_s, ElementsAre(2, 2));  // in the first step and in the first evaluation
}

TEST_F(Evaluations, LeaveTheWeightsOfTheBest) {
  run("1");
  EXPECT_EQ(bytes_of(best_weights(folder / "work/fake")), "0.75");
  scores = {};
  std::filesystem::remove_all(output.work);
  run("2");
  EXPECT_FALSE(std::filesystem::exists(best_weights(folder / "work/fake")));
}

}  // namespace
}  // namespace epochcast::train
