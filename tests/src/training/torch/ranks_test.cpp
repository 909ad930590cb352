// Training on k ranks is training on one with the k-fold batch.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "src/base/process/command.hpp"
#include "src/record/reader.hpp"
#include "src/training/torch/run/checkpoint.hpp"

namespace epochcast::libtorch {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / fmt::format("epochcast_ranks_{}", getpid());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The checkpoint behind `epochs` epochs of `samples` in steps of 24 samples on all ranks
  /// together.
  Tensors trained_on(int ranks, int samples, int epochs, const std::vector<std::string>& model,
                     const std::string& job = "job") {
    const auto work = folder_ / std::to_string(runs_++);
    std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-jobs",
                                   "launch",
                                   fmt::format("--tasks={}", ranks),
                                   "--",
                                   EPOCHCAST_BINARY_DIR "/epochcast-train",
                                   "--dataset=synthetic",
                                   fmt::format("--dataset.samples={}", samples),
                                   fmt::format("--epochs={}", epochs),
                                   fmt::format("--batch={}", 24 / ranks),
                                   "--threads=1",
                                   "--point=p",
                                   "--rendezvous-timeout=10m",
                                   "--records=" + (work / "records").string(),
                                   "--work=" + work.string()};
    words.insert(words.end(), model.begin(), model.end());
    const auto run =
        process::run_command(words, 900, {{"EPOCHCAST_JOB_ID", job}, {"EPOCHCAST_ASKED", ""}});
    EXPECT_EQ(run.status, 0) << run.err;
    const auto tensors = read_checkpoint(work / ("p/p-" + job + ".checkpoint")).tensors;
    return {tensors.begin(), tensors.end()};
  }

  void expect_same_parameters(const std::vector<std::string>& model,
                              const std::vector<int>& sizes = {2, 3, 4}) {
    const auto alone = trained_on(1, 72, 4, model);
    for (const int ranks : sizes) {
      const auto together = trained_on(ranks, 72, 4, model);
      for (const auto& [name, tensor] : alone) {
        if (name != "loss_sums") {  // of rank 0's samples only
          EXPECT_TRUE(torch::allclose(together.at(name), tensor, 1e-4, 1e-5))
              << name << " on " << ranks << " ranks";
        }
      }
    }
  }

  /// That each rank of the last run trained on, in the order of the ranks.
  std::map<std::int64_t, std::int64_t> samples_of_ranks() const {
    const auto records = folder_ / std::to_string(runs_ - 1) / "records";
    std::map<std::int64_t, std::int64_t> samples;
    for (const auto& step :
         record::read_record(record::find_records({records.string()}).front()).iterations) {
      samples[step.rank] += step.samples;
    }
    return samples;
  }

  std::map<std::string, double> scores_of_last_run() const {
    const auto records = folder_ / std::to_string(runs_ - 1) / "records";
    std::map<std::string, double> scores;
    for (const auto& metric :
         record::read_record(record::find_records({records.string()}).front()).metrics) {
      scores[metric.name.str()] = metric.value;
    }
    return scores;
  }

  std::filesystem::path folder_;
  int runs_ = 0;
};

TEST_F(Ranks, TrainAPerceptronAsOneProcessWithTheManifoldBatch) {
  expect_same_parameters({"--model=mlp", "--model.depth=4"});
}

TEST_F(Ranks, TrainConvolutionsAsOneProcessWithTheManifoldBatch) {
  expect_same_parameters(
      {"--model=wide_resnet", "--model.widen=1", "--model.batch_norm=false", "--model.dropout=0"});
}

// Of three batches an epoch two make an update and one another: gradients gather on each rank and
// are exchanged once, and clipped behind that.
TEST_F(Ranks, FineTuneAsOneProcessWithTheManifoldBatch) {
  expect_same_parameters(
      {"--model=mlp", "--model.depth=4", "--optimizer=adamw", "--optimizer.weight_decay=0.1",
       "--accumulate=2", "--clip_norm=0.01", "--schedule=linear", "--warmup_updates=3"},
      {2});
}

TEST_F(Ranks, ContinueInTheMiddleOfAnUpdateBitForBit) {
  const std::vector<std::string> recipe{"--model=mlp", "--model.depth=3", "--accumulate=3",
                                        "--schedule=linear"};
  const auto whole = trained_on(2, 120, 2, recipe);
  auto cut = recipe;
  cut.emplace_back("--max_iterations=7");
  const auto half = trained_on(2, 120, 2, cut);
  EXPECT_TRUE(std::ranges::any_of(
      half, [](const auto& entry) { return entry.first.starts_with("gradient."); }));
  auto rest = recipe;
  rest.emplace_back("--resume");
  --runs_;  // in the folder of the last
  const auto resumed = trained_on(2, 120, 2, rest, "rest");
  for (const auto& [name, tensor] : whole) {
    EXPECT_TRUE(torch::equal(resumed.at(name), tensor)) << name;
  }
}

TEST_F(Ranks, RepeatOrOmitWhatTheyDoNotDivide) {
  using Samples = std::map<std::int64_t, std::int64_t>;
  trained_on(3, 26, 1, {"--model=mlp"});
  EXPECT_EQ(samples_of_ranks(), (Samples{{0, 9}, {1, 9}, {2, 9}}));
  trained_on(3, 26, 1, {"--model=mlp", "--last_samples=drop"});
  EXPECT_EQ(samples_of_ranks(), (Samples{{0, 8}, {1, 8}, {2, 8}}));
}

TEST_F(Ranks, ScoreEachHeldOutSampleOnce) {
  const std::vector<std::string> model{"--model=mlp", "--model.depth=4", "--dataset.held_out=5"};
  trained_on(1, 72, 1, model);
  const auto alone = scores_of_last_run();
  for (const int ranks : {2, 3, 8}) {  // of eight, three have none
    trained_on(ranks, 72, 1, model);
    const auto together = scores_of_last_run();
    EXPECT_NEAR(together.at("val_loss"), alone.at("val_loss"), 1e-4) << ranks;
    EXPECT_EQ(together.at("val_accuracy"), alone.at("val_accuracy")) << ranks;
  }
}

/// The largest difference of a gradient, relative to its norm; behind one step momenta are
/// gradients.
double difference(const Tensors& a, const Tensors& b) {
  double largest = 0;
  for (const auto& [name, tensor] : b) {
    if (name.starts_with("optimizer.momentum")) {
      largest = std::max(largest, ((a.at(name) - tensor).norm() / tensor.norm()).item<double>());
    }
  }
  return largest;
}

// Batch norms put many activations near the kink of ReLU, where a rounding error decides whether
// one of them passes its gradient on: in single precision a few of two million do otherwise, which
// shows as some thousandths.
TEST_F(Ranks, SynchronizeBatchNorms) {
  const std::vector<std::string> own{"--model=wide_resnet", "--model.widen=1", "--model.dropout=0"};
  auto common = own;
  common.emplace_back("--model.sync_batch_norm=true");
  const auto alone = trained_on(1, 24, 1, own);
  EXPECT_LT(difference(trained_on(1, 24, 1, common), alone), 0.05);
  for (const int ranks : {2, 3}) {
    EXPECT_LT(difference(trained_on(ranks, 24, 1, common), alone), 0.05) << ranks;
    EXPECT_GT(difference(trained_on(ranks, 24, 1, own), alone), 0.2) << ranks;
  }
}

}  // namespace
}  // namespace epochcast::libtorch
