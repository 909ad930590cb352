// The records of running jobs, read again and again.
#include <gtest/gtest.h>

#include <fstream>

#include "jobs/campaign/attempts.hpp"
#include "src/base/core/clock.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

class RecordTailsTest : public testing::Test {
 protected:
  RecordTailsTest() {
    record::RecordHeader header;
    header.created_at = iso8601();
    header.point = "p";
    write("header", header);
    write("parameters", record::ParameterRow{"epochs", "4", "integer", "epochs"});
    write("work", record::Work{.samples_per_epoch = 200, .iterations_per_epoch = 20});
  }
  template <class Row>
  void write(std::string_view table, const Row& row) {
    std::string line;
    record::append_line(line, table, row);
    std::ofstream(path_, std::ios::app | std::ios::binary) << line;
  }
  /// Steps of one second each, of rank 0 and of rank 1.
  void write_steps(std::int64_t from, std::int64_t to) {
    for (auto i = from; i < to; ++i) {
      for (std::int64_t rank = 0; rank < 2; ++rank) {
        write("iterations", record::Iteration{.rank = rank,
                                              .epoch = i / 20,
                                              .index = i % 20,
                                              .start_s = static_cast<double>(i),
                                              .step_s = 1,
                                              .samples = 10});
      }
    }
  }
  Progress progress() {
    tails_.read(path_);
    return tails_.progress(path_);
  }

  test::TempFolder folder_;
  std::string path_ = folder_.write("p-1.jsonl", "");
  RecordTails tails_;
};

TEST_F(RecordTailsTest, AnAttemptThatGoesOnCountsFromWhereItBegan) {
  write("epochs", record::Epoch{.epoch = 2, .wall_s = 20, .samples = 400, .iterations = 20});
  EXPECT_EQ(progress().epoch, 3);
}

TEST_F(RecordTailsTest, TheProgressIsThatOfTheWholeFile) {
  EXPECT_FALSE(progress().left_s) << "no step yet";
  write_steps(0, 30);
  write("epochs", record::Epoch{.epoch = 0, .wall_s = 20, .samples = 200, .iterations = 20});
  write("metrics", record::Metric{.epoch = 0, .name = "val_loss", .value = 3});
  write("metrics", record::Metric{.epoch = 0, .name = "loss", .value = 0.5});
  write("metrics", record::Metric{.epoch = 0, .name = "accuracy", .value = 0.9});
  const auto now = progress();
  const auto whole = progress_of(folder_ / "p-1.h5");
  EXPECT_EQ(now.epoch, 1);
  EXPECT_EQ(now.epochs, 4);
  EXPECT_DOUBLE_EQ(now.share.value(), 30.0 / 80);
  EXPECT_EQ(now.loss_name, "loss");
  EXPECT_EQ(now.loss, 0.5);
  ASSERT_TRUE(now.left_s && whole.left_s);
  EXPECT_NEAR(*now.left_s, *whole.left_s, 2) << "two clock readings";
  EXPECT_NEAR(*now.left_s, 80, 3);
  EXPECT_LE(*now.left_low_s, *now.left_s);
  EXPECT_GE(*now.left_high_s, *now.left_s);
}

TEST_F(RecordTailsTest, TheRatesAreThoseOfTheNewestStepsOrEpoch) {
  write("parameters", record::ParameterRow{"sequence_length", "100", "integer", "1"});
  write("parameters", record::ParameterRow{"parameters", "1e9", "number", "1"});
  write("parameters", record::ParameterRow{"precision", "bf16", "text", "1"});
  write("machines", record::Machine{.gpu_name = "NVIDIA A100-SXM4-80GB"});
  EXPECT_FALSE(progress().rates.samples_per_s) << "no step yet";
  write_steps(0, 10);
  const auto rates = progress().rates;
  EXPECT_EQ(rates.samples_per_s, 10);
  EXPECT_EQ(rates.tokens_per_s, 1000);
  EXPECT_EQ(rates.model_flops_per_s, 6e12);
  EXPECT_NEAR(rates.mfu.value(), 6.0 / 312, 1e-12);
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    write("epochs", record::Epoch{.epoch = epoch, .wall_s = 20, .samples = 400, .iterations = 20});
  }
  EXPECT_EQ(progress().rates.samples_per_s, 20);
}

TEST_F(RecordTailsTest, ARunThatDoesNotGoOnHasTheSameTimeLeft) {
  record::RecordHeader header;
  header.created_at = "2026-01-01T00:00:00+0000";
  header.point = "p";
  write("header", header);
  write_steps(0, 30);
  EXPECT_NEAR(progress().left_s.value(), 49, 1e-6) << "a step is due for months; 49 come after it";
}

TEST_F(RecordTailsTest, KeepsOnlyStepsThatAForecastNeeds) {
  write_steps(0, 30);
  progress();
  EXPECT_EQ(tails_.find(path_)->iterations.size(), 30U) << "of rank 0";
  record::RecordHeader ended;
  ended.created_at = iso8601();
  ended.outcome = "complete";
  write("header", ended);
  EXPECT_FALSE(progress().left_s) << "nothing is left of an ended run";
  EXPECT_TRUE(tails_.find(path_)->iterations.empty());
  EXPECT_EQ(tails_.find("nowhere"), nullptr);
}

TEST_F(RecordTailsTest, TheForecastFollowsTheRun) {
  write_steps(0, 20);
  const auto before = progress();
  ASSERT_TRUE(before.left_s);
  for (std::int64_t i = 20; i < 60; ++i) {  // ten times as slow
    write("iterations", record::Iteration{.epoch = i / 20,
                                          .index = i % 20,
                                          .start_s = static_cast<double>(20 + 10 * (i - 20)),
                                          .step_s = 10,
                                          .samples = 10});
  }
  const auto after = progress();
  ASSERT_TRUE(after.left_s);
  EXPECT_GT(*after.left_s, *before.left_s);
}

}  // namespace
}  // namespace epochcast::jobs
