// The stages of a consumer.
#include "src/serving/stream/consumer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <thread>

#include "tests/src/serving/stream/known_predictor.hpp"
#include "tests/src/serving/stream/memory_sink.hpp"

namespace epochcast::stream {
namespace {

/// Batches 1 to `count` of the source "s".
class FakeSource final : public Source {
 public:
  explicit FakeSource(std::int64_t count) : count_(count) {}

  std::optional<Delivery> next(double patience_s) override {
    if (delivered_ == count_) {
      std::this_thread::sleep_for(std::chrono::duration<double>(patience_s));
      return std::nullopt;
    }
    ++delivered_;
    most_on_the_way = std::max<std::int64_t>(most_on_the_way, delivered_ - std::ssize(told));
    Delivery delivery;
    delivery.batch = {.source = "s",
                      .id = delivered_,
                      .triggered = 1,
                      .items = {{.text = "t" + std::to_string(delivered_), .label = 1}}};
    return delivery;
  }
  void done(const Delivery& delivery) override { told.push_back(delivery.batch.id); }

  std::int64_t delivered() const { return delivered_; }
  std::vector<std::int64_t> told;
  std::int64_t most_on_the_way = 0;

 private:
  std::int64_t count_;
  std::int64_t delivered_ = 0;
};

class StreamConsumer : public ::testing::Test {
 protected:
  ConsumerEnd run(
      Source& source, run::ConsumeOptions options, StopRequested stop = [] { return false; }) {
    return consume({.predictor = predictor,
                    .source = source,
                    .sink = sink,
                    .clock = clock,
                    .options = options,
                    .stop = std::move(stop),
                    .on_batch =
                        [&](const BatchReport& report) {
                          const auto& batch = report.answered;
                          EXPECT_LE(batch.received, batch.start);
                          EXPECT_LE(batch.start, batch.end);
                          EXPECT_LE(batch.end, report.durable);
                          ++reported;
                        },
                    .report = [&](const std::string& text) { messages.push_back(text); }});
  }

  SteadyClock clock;
  KnownPredictor predictor{serve::Kind::text};
  MemorySink sink;
  int reported = 0;
  std::vector<std::string> messages;
};

TEST_F(StreamConsumer, AnswersInOrderAndTellsTheSourceAfterwards) {
  FakeSource source(50);
  EXPECT_EQ(run(source, {.batches = 50}), ConsumerEnd::all_done);
  const auto batches = sink.batches();
  ASSERT_EQ(batches.size(), 50);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    EXPECT_EQ(batches[i].id, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(batches[i].answers.at(0).chosen, known_class("t" + std::to_string(i + 1)));
    EXPECT_EQ(source.told.at(i), batches[i].id);
  }
  EXPECT_EQ(reported, 50);
}

TEST_F(StreamConsumer, TakesNoMoreThanItIsToAnswer) {
  FakeSource source(50);
  EXPECT_EQ(run(source, {.batches = 7}), ConsumerEnd::all_done);
  EXPECT_EQ(sink.batches_done(), 7);
  EXPECT_EQ(source.delivered(), 7);
}

TEST_F(StreamConsumer, EndsWhenNothingComes) {
  FakeSource source(3);
  EXPECT_EQ(run(source, {.idle = {0.3}}), ConsumerEnd::idle);
  EXPECT_EQ(source.told.size(), 3);
}

TEST_F(StreamConsumer, AnswersWhatItHasReceivedBeforeItStops) {
  FakeSource source(1000);
  EXPECT_EQ(run(source, {}, [&] { return sink.batches_done() >= 5; }), ConsumerEnd::stopped);
  EXPECT_EQ(sink.batches_done(), source.delivered());
  EXPECT_EQ(std::ssize(source.told), source.delivered());
}

TEST_F(StreamConsumer, AFullDiskHoldsTheSourceAndLosesNothing) {
  FakeSource source(40);
  sink.refusals_left = 4;
  EXPECT_EQ(run(source, {.batches = 40, .ahead = 1}), ConsumerEnd::all_done);
  EXPECT_EQ(sink.batches_done(), 40);
  EXPECT_LE(source.most_on_the_way, 6);
  EXPECT_EQ(messages, std::vector<std::string>{"disk full; trying again, and the stream waits"});
}

TEST_F(StreamConsumer, AStopEndsTheWaitForTheDisk) {
  FakeSource source(3);
  sink.refusals_left = 1'000'000;
  std::atomic<int> asked = 0;
  EXPECT_THROW(run(source, {}, [&] { return ++asked > 20; }), NotNow);
  EXPECT_TRUE(source.told.empty());
}

/// Fails at its second batch.
class FailingPredictor final : public serve::Predictor {
 public:
  serve::Kind kind() const override { return serve::Kind::text; }
  const std::vector<std::string>& labels() const override { return known_.labels(); }
  std::unique_ptr<serve::Input> prepare(std::string_view bytes) const override {
    return known_.prepare(bytes);
  }
  std::vector<serve::Scores> predict(std::span<const serve::Input* const> inputs) override {
    if (++passes_ == 2) {
      throw RunError("the device is lost");
    }
    return known_.predict(inputs);
  }

 private:
  KnownPredictor known_{serve::Kind::text};
  int passes_ = 0;
};

TEST_F(StreamConsumer, AFailureOfTheDeviceEndsAllStages) {
  FakeSource source(100);
  FailingPredictor failing;
  EXPECT_THROW(
      consume(
          {.predictor = failing, .source = source, .sink = sink, .clock = clock, .options = {}}),
      RunError);
  EXPECT_LE(sink.batches_done(), 1);
}

}  // namespace
}  // namespace epochcast::stream
