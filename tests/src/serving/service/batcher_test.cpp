#include "src/serving/service/batcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "src/base/core/error.hpp"

namespace epochcast::serve {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

struct Number : Input {
  Number(float its_value, std::int64_t its_length) : value(its_value), tokens(its_length) {}
  std::int64_t length() const override { return tokens; }
  float value;
  std::int64_t tokens;
};

/// Answers each number with itself. Each pass waits until it is let through.
class GatedNumbers : public Predictor {
 public:
  Kind kind() const override { return Kind::text; }
  const std::vector<std::string>& labels() const override { return labels_; }
  std::unique_ptr<Input> prepare(std::string_view) const override { return nullptr; }

  std::vector<Scores> predict(std::span<const Input* const> inputs) override {
    std::unique_lock lock(mutex_);
    std::vector<float> batch;
    std::vector<Scores> scores;
    for (const Input* input : inputs) {
      batch.push_back(dynamic_cast<const Number&>(*input).value);
      scores.push_back({batch.back()});
    }
    batches_.push_back(batch);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    if (inputs.size() > fits) {
      throw OutOfMemory("no memory on the device");
    }
    if (!failure.empty()) {
      throw RunError(failure);
    }
    scores.resize(scores.size() - forgets);
    return scores;
  }

  void set_open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  void wait_for_batch(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() >= number; });
  }
  std::vector<std::vector<float>> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

  std::size_t fits = 1000;
  std::size_t forgets = 0;
  std::string failure;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  std::vector<std::vector<float>> batches_;
  std::vector<std::string> labels_{"all"};
};

class BatcherTest : public testing::Test {
 protected:
  Batcher& start(const BatchOptions& options) {
    batcher_ = std::make_unique<Batcher>(
        predictor_, options, [] {},
        [this](std::size_t inputs, double) { measured_.push_back(inputs); });
    while (batcher_->health() == Batcher::Health::warming) {
      std::this_thread::sleep_for(1ms);
    }
    return *batcher_;
  }

  /// A request of inputs {value, length}; its outcome when it is there.
  std::future<Outcome> ask(std::vector<std::pair<float, std::int64_t>> numbers,
                           Batcher::Abandoned abandoned = nullptr) {
    std::vector<std::unique_ptr<Input>> inputs;
    for (const auto& [value, length] : numbers) {
      inputs.push_back(std::make_unique<Number>(value, length));
    }
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto outcome = promise->get_future();
    admission_ = batcher_->submit(
        std::move(inputs), [promise](Outcome each) { promise->set_value(std::move(each)); },
        std::move(abandoned));
    return outcome;
  }

  GatedNumbers predictor_;
  std::vector<std::size_t> measured_;
  Batcher::Admission admission_ = Batcher::Admission::accepted;
  std::unique_ptr<Batcher> batcher_;
};

TEST_F(BatcherTest, AnswersTheInputsOfARequestInTheirOrder) {
  start({.batch = 2, .wait_s = 0});
  const auto outcome = ask({{1, 5}, {2, 5}, {3, 5}, {4, 5}, {5, 5}}).get();
  EXPECT_THAT(outcome.scores, ElementsAre(Scores{1}, Scores{2}, Scores{3}, Scores{4}, Scores{5}));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(predictor_.batches(),
              ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(5)));
  batcher_->stop();
  EXPECT_THAT(measured_, ElementsAre(2, 2, 1));
}

TEST_F(BatcherTest, JoinsRequestsThatWaitedWhileThePredictorWasBusy) {
  start({.batch = 8, .wait_s = 0});
  predictor_.set_open(false);
  auto first = ask({{1, 5}});
  predictor_.wait_for_batch(1);
  auto second = ask({{2, 5}});
  auto third = ask({{3, 5}, {4, 5}});
  predictor_.set_open(true);
  first.get();
  EXPECT_THAT(third.get().scores, ElementsAre(Scores{3}, Scores{4}));
  EXPECT_THAT(second.get().scores, ElementsAre(Scores{2}));
  EXPECT_THAT(predictor_.batches(), ElementsAre(ElementsAre(1), ElementsAre(2, 3, 4)));
}

TEST_F(BatcherTest, WaitsForOthersUntilTheBatchIsFull) {
  start({.batch = 3, .wait_s = 60});
  auto first = ask({{1, 5}});
  EXPECT_EQ(first.wait_for(50ms), std::future_status::timeout);
  ask({{2, 5}, {3, 5}});
  EXPECT_THAT(first.get().scores, ElementsAre(Scores{1}));
  EXPECT_THAT(predictor_.batches(), ElementsAre(ElementsAre(1, 2, 3)));
}

TEST_F(BatcherTest, WaitsNoLongerThanItsDeadline) {
  start({.batch = 3, .wait_s = 0.02});
  EXPECT_THAT(ask({{1, 5}}).get().scores, ElementsAre(Scores{1}));
}

TEST_F(BatcherTest, DoesNotComputeWhatNobodyWaitsForAnyMore) {
  start({.batch = 2, .wait_s = 0});
  predictor_.set_open(false);
  auto busy = ask({{1, 5}});
  predictor_.wait_for_batch(1);
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  auto abandoned = ask({{2, 5}, {3, 5}, {4, 5}}, gone);
  auto waits = ask({{5, 5}}, std::make_shared<std::atomic<bool>>(false));
  *gone = true;
  predictor_.set_open(true);
  EXPECT_THAT(waits.get().scores, ElementsAre(Scores{5}));
  EXPECT_TRUE(abandoned.get().abandoned);
  EXPECT_THAT(busy.get().scores, ElementsAre(Scores{1}));
  EXPECT_THAT(predictor_.batches(), ElementsAre(ElementsAre(1), ElementsAre(5)));
  EXPECT_EQ(batcher_->abandoned(), 3U);
  EXPECT_EQ(batcher_->waiting(), 0U);
}

TEST_F(BatcherTest, DropsTheRestOfARequestThatWasBegunAndGoesOn) {
  start({.batch = 2, .wait_s = 0});
  predictor_.set_open(false);
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  auto begun = ask({{1, 5}, {2, 5}, {3, 5}}, gone);
  predictor_.wait_for_batch(1);
  *gone = true;
  predictor_.set_open(true);
  EXPECT_TRUE(begun.get().abandoned);
  EXPECT_THAT(ask({{4, 5}}).get().scores, ElementsAre(Scores{4}));
  EXPECT_THAT(predictor_.batches(), ElementsAre(ElementsAre(1, 2), ElementsAre(4)));
  EXPECT_EQ(batcher_->abandoned(), 1U);
}

TEST_F(BatcherTest, KeepsLongInputsOutOfABatchOfShortOnes) {
  start({.batch = 8, .wait_s = 0});
  predictor_.set_open(false);
  auto first = ask({{1, 5}});
  predictor_.wait_for_batch(1);
  auto mixed = ask({{2, 10}, {3, 400}, {4, 12}, {5, 390}});
  predictor_.set_open(true);
  EXPECT_THAT(mixed.get().scores, ElementsAre(Scores{2}, Scores{3}, Scores{4}, Scores{5}));
  EXPECT_THAT(predictor_.batches(),
              ElementsAre(ElementsAre(1), ElementsAre(2, 4), ElementsAre(3, 5)));
}

TEST_F(BatcherTest, TakesARequestAsAWholeOrNotAtAll) {
  start({.batch = 1, .wait_s = 0, .queue = 3});
  predictor_.set_open(false);
  auto in_progress = ask({{1, 5}});
  predictor_.wait_for_batch(1);
  auto waiting = ask({{2, 5}, {3, 5}});
  ask({{4, 5}, {5, 5}});
  EXPECT_EQ(admission_, Batcher::Admission::full);
  EXPECT_EQ(batcher_->waiting(), 2U);
  auto last = ask({{6, 5}});
  EXPECT_EQ(admission_, Batcher::Admission::accepted);
  predictor_.set_open(true);
  EXPECT_THAT(last.get().scores, ElementsAre(Scores{6}));
  EXPECT_THAT(waiting.get().scores, ElementsAre(Scores{2}, Scores{3}));
}

TEST_F(BatcherTest, AFailureReachesAllRequestsOfTheBatchAndTheNextOnesAreTried) {
  start({.batch = 2, .wait_s = 0});
  predictor_.failure = "the device is lost";
  EXPECT_EQ(ask({{1, 5}, {2, 5}, {3, 5}}).get().failure, "the device is lost");
  EXPECT_EQ(batcher_->health(), Batcher::Health::failing);
  EXPECT_EQ(batcher_->waiting(), 0U);
  predictor_.failure = "";
  EXPECT_THAT(ask({{4, 5}}).get().scores, ElementsAre(Scores{4}));
  EXPECT_EQ(batcher_->health(), Batcher::Health::ready);
}

TEST_F(BatcherTest, HalvesABatchThatDoesNotFitIntoMemory) {
  start({.batch = 4, .wait_s = 60});
  predictor_.fits = 2;
  EXPECT_THAT(ask({{1, 5}, {2, 5}, {3, 5}, {4, 5}}).get().scores,
              ElementsAre(Scores{1}, Scores{2}, Scores{3}, Scores{4}));
  predictor_.fits = 0;
  EXPECT_EQ(ask({{1, 5}, {2, 5}, {3, 5}, {4, 5}}).get().failure, "no memory on the device");
}

TEST_F(BatcherTest, FewerAnswersThanInputsAreAFailure) {
  start({.batch = 2, .wait_s = 60});
  predictor_.forgets = 1;
  EXPECT_EQ(ask({{1, 5}, {2, 5}}).get().failure, "the model gave 1 answers to 2 inputs");
}

TEST_F(BatcherTest, StoppingAnswersTheBatchInProgressAndTellsTheOthers) {
  start({.batch = 1, .wait_s = 0});
  predictor_.set_open(false);
  auto in_progress = ask({{1, 5}});
  predictor_.wait_for_batch(1);
  auto waiting = ask({{2, 5}});
  std::thread opens([&] {
    std::this_thread::sleep_for(20ms);
    predictor_.set_open(true);
  });
  batcher_->stop();
  opens.join();
  EXPECT_THAT(in_progress.get().scores, ElementsAre(Scores{1}));
  EXPECT_TRUE(waiting.get().stopped);
  ask({{3, 5}});
  EXPECT_EQ(admission_, Batcher::Admission::stopped);
}

TEST(Batcher, AWarmUpThatFailsIsNamed) {
  GatedNumbers predictor;
  Batcher batcher(predictor, {}, [] { throw RunError("no kernel for this card"); }, {});
  while (batcher.health() == Batcher::Health::warming) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(batcher.failure(), "no kernel for this card");
}

}  // namespace
}  // namespace epochcast::serve
